import { computed, signal } from '@preact/signals';

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** Rows that are read again when something has changed; those after them are as they were last read. */
const MAX_REFRESHED_ROWS = 1000;
/** A rare match takes several requests: the service looks through a bounded number of claims for each. */
const MAX_READS = 25;

export type PagedList<Row> = ReturnType<typeof createPagedList<Row>>;

/**
 * A list that is read page by page. A page may be empty although more follow.
 * @param read with a cursor: the page after it
 */
export function createPagedList<Row>(deps: {
  readonly read: (cursor: string | undefined) => Promise<Page<Row>>;
  readonly idOf: (row: Row) => string;
  /** New rows that fill a screen. */
  readonly enough: number;
  readonly onError: (error: unknown) => void;
}) {
  /** Undefined until the first page was read. */
  const rows = signal<readonly Row[] | undefined>(undefined);
  const cursor = signal<string | null>(null);
  const isReading = signal(false);
  const failed = signal(false);
  /** Counts up with each other list, so that a late page of an earlier one is ignored. */
  let generation = 0;
  let current: Promise<void> = Promise.resolve();

  const withoutDuplicates = (added: readonly Row[], before: readonly Row[]): Row[] => {
    const known = new Set(before.map(deps.idOf));
    return [...before, ...added.filter((row) => !known.has(deps.idOf(row)))];
  };

  async function readFrom(start: string | undefined, count: number): Promise<Page<Row> | undefined> {
    const mine = generation;
    let found: readonly Row[] = [];
    let at = start;
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const page = await deps.read(at);
      if (mine !== generation) return undefined;
      found = withoutDuplicates(page.data, found);
      at = page.next_cursor ?? undefined;
      if (at === undefined || found.length >= count) break;
    }
    return { data: found, next_cursor: at ?? null };
  }

  function reading(work: () => Promise<void>): Promise<void> {
    current = run(work);
    return current;
  }

  async function run(work: () => Promise<void>): Promise<void> {
    const mine = generation;
    isReading.value = true;
    failed.value = false;
    try {
      await work();
    } catch (error) {
      if (mine === generation) {
        failed.value = true;
        deps.onError(error);
      }
    } finally {
      if (mine === generation) isReading.value = false;
    }
  }

  return {
    rows,
    isReading,
    failed,
    hasMore: computed(() => cursor.value !== null),

    /** Reads another list from its start, such as one with other filters. */
    restart(): Promise<void> {
      generation += 1;
      rows.value = undefined;
      cursor.value = null;
      return reading(async () => {
        const page = await readFrom(undefined, deps.enough);
        if (page === undefined) return;
        rows.value = page.data;
        cursor.value = page.next_cursor;
      });
    },

    /** Reads what comes after the last row. */
    async more(): Promise<void> {
      const after = cursor.value;
      if (after === null || isReading.value) return;
      await reading(async () => {
        const page = await readFrom(after, deps.enough);
        if (page === undefined) return;
        rows.value = withoutDuplicates(page.data, rows.value ?? []);
        cursor.value = page.next_cursor;
      });
    },

    /** Reads again what is shown, and leaves it as it is until then. */
    async refresh(): Promise<void> {
      const mine = generation;
      await current;
      if (mine !== generation) return;
      await reading(async () => {
        const before = rows.value ?? [];
        const count = Math.min(Math.max(before.length, deps.enough), MAX_REFRESHED_ROWS);
        const page = await readFrom(undefined, count);
        if (page === undefined) return;
        const isWhole = before.length <= MAX_REFRESHED_ROWS || page.next_cursor === null;
        rows.value = isWhole ? page.data : withoutDuplicates(before.slice(MAX_REFRESHED_ROWS), page.data);
        if (isWhole) cursor.value = page.next_cursor;
      });
    },

    forget(): void {
      generation += 1;
      rows.value = undefined;
      cursor.value = null;
      isReading.value = false;
    },
  };
}
