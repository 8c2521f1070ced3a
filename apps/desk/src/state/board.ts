import { computed, type ReadonlySignal, signal } from '@preact/signals';
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

export interface Filters {
  readonly view: View;
  readonly adjuster: string;
  readonly carrier: string;
  readonly state: string;
  readonly q: string;
}
const NO_FILTERS: Filters = { view: 'waiting', adjuster: '', carrier: '', state: '', q: '' };

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
  readonly onError: (error: unknown) => void;
}) {
  const filters = signal<Filters>(NO_FILTERS);
  const selected = signal<ReadonlySet<string>>(new Set());
  let typing: ReturnType<typeof setTimeout> | undefined;
  const sent = (text: string): string | undefined => text.trim() || undefined;

  const list = createPagedList<BoardClaim>({
    read: (cursor) => {
      const { view, adjuster, carrier, state, q } = filters.value;
      const query = {
        environment: deps.environment.value,
        ...statusOf(view),
        adjuster: sent(adjuster),
        carrier: sent(carrier),
        state: sent(state),
        q: sent(q),
        limit: PAGE_ROWS,
        cursor,
      };
      return deps.request(() => deps.call('listBoardClaims', { query }));
    },
    idOf: ({ id }) => id,
    enough: PAGE_ROWS,
    onError: deps.onError,
  });

  return {
    list,
    filters,
    isFiltered: computed(() => {
      const { view: _, ...others } = filters.value;
      return Object.values(others).some((text) => text.trim() !== '');
    }),
    /** Ids of the rows that were marked for one offer of them all. */
    selected,
    toggle(id: string): void {
      const next = new Set(selected.value);
      if (!next.delete(id)) next.add(id);
      selected.value = next;
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
    forget(): void {
      clearTimeout(typing);
      filters.value = NO_FILTERS;
      selected.value = new Set();
      list.forget();
    },
  };
}
