import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { LIMITS, LOSS_LOCATION_STATES } from '@svc/contract';
import { createPagedList } from '@svc/web-app/paged-list';
import type { BoardClaim, Call, Environment } from '../endpoints.ts';

/** What the board shows: claims that wait, those with one status, or closed ones. */
export const VIEWS = [
  'waiting',
  'pending_acceptance',
  'rejected',
  'unassigned',
  'accepted',
  'closed',
] as const;
export type View = (typeof VIEWS)[number];

type Filters = Readonly<{ view: View } & Record<'adjuster' | 'carrier' | 'state' | 'q', string>>;

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
  const selected = signal<ReadonlySet<string>>(new Set());
  let typing: ReturnType<typeof setTimeout> | undefined;

  const list = createPagedList<BoardClaim>({
    read: (cursor) => {
      const { view, ...typed } = filters.value;
      const chosen = Object.entries(typed).filter(([, text]) => text.trim() !== '');
      const query = {
        environment: deps.environment.value,
        ...statusOf(view),
        ...Object.fromEntries(chosen.map(([name, text]) => [name, text.trim()])),
        limit: PAGE_ROWS,
        cursor,
      };
      return deps.request(() => deps.call('listBoardClaims', { query }));
    },
    idOf: ({ id }) => id,
    enough: PAGE_ROWS,
    onError: deps.onError,
  });

  /** Rows that can be offered, and those of them that were marked for one offer of them all. */
  const offerable = computed(() =>
    ((deps.canOffer() && list.rows.value) || []).filter(
      ({ status, closed_at }) => status !== 'accepted' && closed_at === null,
    ),
  );
  const chosen = computed(() => offerable.value.filter(({ id }) => selected.value.has(id)));
  /** The row that was marked last, where a range begins. */
  let lastId = '';
  function select(rows: readonly BoardClaim[], isSelected: boolean): void {
    const ids = new Set(selected.value);
    for (const { id } of rows) isSelected ? ids.add(id) : ids.delete(id);
    selected.value = ids;
  }

  return {
    ...{ list, filters, selected, offerable, chosen },
    isFiltered: computed(() => {
      const { view: _, ...others } = filters.value;
      return Object.values(others).some((text) => text.trim() !== '');
    }),
    /** Marks a row or takes its mark away; of a range, the rows between it and the last one, too. */
    toggle(id: string, isRange = false): void {
      const at = offerable.value.findIndex((row) => row.id === id);
      const last = isRange ? offerable.value.findIndex((row) => row.id === lastId) : -1;
      const from = last === -1 ? at : Math.min(at, last);
      if (at !== -1) select(offerable.value.slice(from, Math.max(at, last) + 1), !selected.value.has(id));
      lastId = id;
    },
    toggleAll(): void {
      select(offerable.value, chosen.value.length < offerable.value.length);
    },
    clearSelection(): void {
      selected.value = new Set();
    },
    /** Typed filters are applied when the typing pauses. */
    filter(changes: Partial<Filters>, isTyped = false): void {
      filters.value = { ...filters.value, ...changes };
      selected.value = new Set();
      clearTimeout(typing);
      typing = setTimeout(() => void list.restart(), isTyped ? TYPING_MS : 0);
    },
    withFilters: (hash: string): string => withFilters(hash, filters.value),
    /** Takes the filters of an address. */
    open(hash: string): void {
      if (withFilters(hash, filters.value) !== hash) this.filter(filtersIn(hash));
    },
    /** Keeps the filters of the address. An adjuster belongs to one environment. */
    forget(): void {
      clearTimeout(typing);
      filters.value = { ...filters.value, adjuster: '', q: '' };
      selected.value = new Set();
      list.forget();
    },
  };
}
