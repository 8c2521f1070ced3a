import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { LIMITS, LOSS_LOCATION_STATES } from '@svc/contract';
import { createPagedList } from '@svc/web-app/paged-list';
import type { BoardClaim, BoardCounts, Call, Environment } from '../endpoints.ts';

/** What the board shows: claims that wait, offers that are late, those with one status, or closed ones. */
export const VIEWS = [
  'waiting',
  'late',
  'clock_late',
  'pending_acceptance',
  'rejected',
  'unassigned',
  'accepted',
  'closed',
] as const;
export type View = (typeof VIEWS)[number];

type Filters = Readonly<{ view: View } & Record<'adjuster' | 'carrier' | 'state' | 'q', string>>;

/** What the rows that are shown can be sorted by; else they are in the order of the service. */
const SORT_KEYS = {
  name: ({ name }: BoardClaim) => name,
  ids: ({ claim_number }: BoardClaim) => claim_number,
  carrier: ({ carrier }: BoardClaim) => carrier,
  adjuster: ({ adjuster_name, adjuster_svc_id }: BoardClaim) => adjuster_name ?? adjuster_svc_id,
  state: ({ status, waiting_since }: BoardClaim) => `${status} ${waiting_since ?? ''}`,
} as const;
export type SortKey = keyof typeof SORT_KEYS;
export const SORTS = Object.keys(SORT_KEYS) as SortKey[];
interface Sort {
  readonly by: SortKey;
  readonly isDown: boolean;
}

function sorted(rows: readonly BoardClaim[], { by, isDown }: Sort): readonly BoardClaim[] {
  const { [by]: textOf } = SORT_KEYS;
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return rows.toSorted((one, other) => (isDown ? -1 : 1) * compare(textOf(one), textOf(other)));
}

/** What a person has typed and selected, which a reload keeps. */
export interface BoardDraft {
  readonly q: string;
  readonly adjuster: string;
  readonly sort: Sort | null;
  /** Ids of claims. */
  readonly selected: readonly string[];
}

/** Filters that the address keeps: not the searched text, nor the adjuster, whose SVCID has a name in it. */
function filtersIn(hash: string): Pick<Filters, 'view' | 'state' | 'carrier'> {
  const query = new URLSearchParams(hash.split('?')[1]);
  const view = VIEWS.find((one) => one === query.get('view')) ?? 'waiting';
  const state = LOSS_LOCATION_STATES.find((one) => one === query.get('state')) ?? '';
  return { view, state, carrier: query.get('carrier')?.slice(0, LIMITS.companyName.max) ?? '' };
}
function withFilters(hash: string, { view, state, carrier }: Filters): string {
  const kept = Object.entries({ view: view === 'waiting' ? '' : view, state, carrier: carrier.trim() });
  const query = new URLSearchParams(kept.filter(([, text]) => text !== ''));
  return [hash.split('?')[0], ...(query.size > 0 ? [query] : [])].join('?');
}

const PAGE_ROWS = 100;
const TYPING_MS = 300;

const statusOf = (view: View) => {
  if (view === 'waiting') return {};
  if (view === 'late' || view === 'clock_late') return { [view]: 'true' };
  return view === 'closed' ? { closed: 'true' } : { status: view };
};

export type Board = ReturnType<typeof createBoard>;

export function createBoard(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly environment: ReadonlySignal<Environment>;
  readonly canOffer: () => boolean;
  readonly hash: string;
  readonly onError: (error: unknown) => void;
}) {
  const filters = signal<Filters>({ ...filtersIn(deps.hash), adjuster: '', q: '' });
  const counts = signal<BoardCounts | undefined>(undefined);
  const sort = signal<Sort | null>(null);
  /** By id; undefined: selected before the page was loaded again, and not read since. */
  const selected = signal<ReadonlyMap<string, BoardClaim | undefined>>(new Map());
  let typing: ReturnType<typeof setTimeout> | undefined;

  const list = createPagedList<BoardClaim>({
    async read(cursor) {
      const { view, ...typed } = filters.value;
      const chosen = Object.entries(typed).filter(([, text]) => text.trim() !== '');
      const query = {
        environment: deps.environment.value,
        ...statusOf(view),
        ...Object.fromEntries(chosen.map(([name, text]) => [name, text.trim()])),
        limit: PAGE_ROWS,
        cursor,
      };
      const page = await deps.request(() => deps.call('listBoardClaims', { query }));
      if (page.counts !== undefined) counts.value = page.counts;
      return page;
    },
    idOf: ({ id }) => id,
    enough: PAGE_ROWS,
    onError: deps.onError,
  });

  /** In the order in which they are shown. */
  const rows = computed(() => {
    const { value: read } = list.rows;
    return read === undefined || sort.value === null ? read : sorted(read, sort.value);
  });
  const canBeSelected = ({ closed_at }: BoardClaim): boolean => deps.canOffer() && closed_at === null;
  /** Rows that can be selected, and those that were, also under another filter. */
  const selectable = computed(() => (rows.value ?? []).filter(canBeSelected));
  const chosen = computed(() => {
    const shown = (rows.value ?? []).filter(({ id }) => selected.value.has(id));
    const ids = new Set(rows.value?.map(({ id }) => id));
    const hidden = [...selected.value].flatMap(([id, row]) => (row === undefined || ids.has(id) ? [] : row));
    return [...shown, ...hidden].filter(canBeSelected);
  });
  /** The row that was marked last, where a range begins. */
  let lastId = '';
  function select(rows: readonly BoardClaim[], isSelected: boolean): void {
    const marked = new Map(selected.value);
    for (const row of rows) isSelected ? marked.set(row.id, row) : marked.delete(row.id);
    selected.value = marked;
  }

  return {
    ...{ list, rows, counts, sort, filters, selected, selectable, chosen },
    /** Sorts by a column, the other way at the second time, and at the third as the service does. */
    sortBy(by: SortKey): void {
      const { value: before } = sort;
      if (before?.by !== by) sort.value = { by, isDown: false };
      else sort.value = before.isDown ? null : { by, isDown: true };
    },
    isFiltered: computed(() => {
      const { view: _, ...others } = filters.value;
      return Object.values(others).some((text) => text.trim() !== '');
    }),
    /** Marks a row or takes its mark away; of a range, the rows between it and the last one, too. */
    toggle(id: string, isRange = false): void {
      const at = selectable.value.findIndex((row) => row.id === id);
      const last = isRange ? selectable.value.findIndex((row) => row.id === lastId) : -1;
      const from = last === -1 ? at : Math.min(at, last);
      if (at !== -1) select(selectable.value.slice(from, Math.max(at, last) + 1), !selected.value.has(id));
      lastId = id;
    },
    toggleAll(): void {
      select(selectable.value, !selectable.value.every(({ id }) => selected.value.has(id)));
    },
    clearSelection(): void {
      selected.value = new Map();
    },
    /** Typed filters are applied when the typing pauses. */
    filter(changes: Partial<Filters>, isTyped = false): void {
      filters.value = { ...filters.value, ...changes };
      clearTimeout(typing);
      typing = setTimeout(() => void list.restart(), isTyped ? TYPING_MS : 0);
    },
    withFilters: (hash: string): string => withFilters(hash, filters.value),
    /** Takes the filters of an address. */
    open(hash: string): void {
      if (withFilters(hash, filters.value) !== hash) this.filter(filtersIn(hash));
    },
    draft: computed<BoardDraft>(() => {
      const { q, adjuster } = filters.value;
      return { q, adjuster, sort: sort.value, selected: [...selected.value.keys()] };
    }),
    /** Before the list is read. */
    restore({ selected: ids, sort: by, ...typed }: BoardDraft): void {
      filters.value = { ...filters.value, ...typed };
      sort.value = by;
      selected.value = new Map(ids.map((id) => [id, undefined]));
    },
    /** Forgets what was read, and keeps what the person has typed and selected. */
    close(): void {
      clearTimeout(typing);
      selected.value = new Map([...selected.value.keys()].map((id) => [id, undefined]));
      counts.value = undefined;
      list.forget();
    },
    /** Keeps the filters of the address. An adjuster belongs to one environment. */
    forget(): void {
      filters.value = { ...filters.value, adjuster: '', q: '' };
      sort.value = null;
      selected.value = new Map();
      this.close();
    },
  };
}
