import { type Adjacency, adjacency, cyclicComponents, type Edge, shortestPath } from './graph.ts';
import type { HistoryEntry } from './history.ts';

export type Element = string | number;

/** Appends one element to the list of a key, or reads the whole list. An element is appended to a key at most once. */
export type MicroOperation =
  | readonly ['append', key: string, element: Element]
  | readonly ['read', key: string];

/** For each micro-operation the list that it read; null for an append. */
export type MicroResults = readonly (readonly Element[] | null)[];

export type ListTransaction = HistoryEntry<readonly MicroOperation[], MicroResults>;

/**
 * Anomalies within a transaction or a list, and the phenomena of Adya: cycles of write dependencies (G0), with a read
 * dependency (G1c), with one anti-dependency (G-single), with several (G2). `-realtime`: the cycle also needs that one
 * transaction completed before another was invoked.
 */
export type Anomaly =
  | 'internal'
  | 'future read'
  | 'duplicate elements'
  | 'unknown element'
  | 'incompatible order'
  | 'lost append'
  | 'G1a'
  | 'G1b'
  | CycleKind
  | `${CycleKind}-realtime`;

const CYCLE_KINDS = ['G0', 'G1c', 'G-single', 'G2'] as const;
type CycleKind = (typeof CYCLE_KINDS)[number];

export interface ListAppendFinding {
  readonly anomaly: Anomaly;
  /** The transactions involved; of a cycle, in its order. */
  readonly transactions: readonly ListTransaction[];
  readonly text: string;
}

export interface ListAppendOptions {
  /** `serializable` ignores the times of the history. Default: `strict-serializable`. */
  readonly model?: 'serializable' | 'strict-serializable';
}

export interface ListAppendReport {
  readonly valid: boolean;
  readonly findings: readonly ListAppendFinding[];
}

/** Why one transaction comes before another. */
type Dependency =
  | { readonly type: 'ww'; readonly key: string; readonly element: Element; readonly next: Element }
  | { readonly type: 'wr'; readonly key: string; readonly element: Element }
  | { readonly type: 'rw'; readonly key: string; readonly element: Element | null; readonly next: Element }
  | { readonly type: 'realtime' };
type DependencyEdge = Edge<Dependency>;

/** What a transaction read of a key. */
interface KeyRead {
  readonly reader: number;
  /** Its first read, without what it had appended before. */
  readonly list: readonly Element[];
  /** Its last read. */
  readonly last: readonly Element[];
}

/** Everything about one list. */
interface KeyHistory {
  /** The transaction that appended each element. */
  readonly writers: Map<Element, number>;
  readonly reads: KeyRead[];
}

/**
 * Analyzes a history of transactions on lists as Elle does: the elements of a list show in which order it was appended
 * to, and so which transactions depend on which; a cycle of dependencies cannot be explained by any order.
 */
export function checkListAppend(
  transactions: readonly ListTransaction[],
  { model = 'strict-serializable' }: ListAppendOptions = {},
): ListAppendReport {
  const findings: ListAppendFinding[] = [];
  const keys = new Map<string, KeyHistory>();
  const ofKey = (key: string): KeyHistory => {
    const known = keys.get(key);
    if (known !== undefined) return known;
    const created: KeyHistory = { writers: new Map(), reads: [] };
    keys.set(key, created);
    return created;
  };
  transactions.forEach(({ operation }, index) => {
    for (const micro of operation) {
      if (micro[0] !== 'append') continue;
      const [, key, element] = micro;
      const { writers } = ofKey(key);
      if (writers.has(element)) throw new Error(`${element} is appended to ${key} more than once`);
      writers.set(element, index);
    }
  });
  transactions.forEach((transaction, index) => {
    if (transaction.outcome !== 'ok') return;
    const internal = [...internalFindings(transaction)];
    findings.push(...internal);
    // Reads that contradict each other show nothing about other transactions.
    if (internal.length > 0) return;
    for (const [key, lists] of readsOf(transaction)) ofKey(key).reads.push({ reader: index, ...lists });
  });

  const edges: DependencyEdge[] = [];
  for (const [key, history] of keys) {
    const { found, dependencies } = analyzeKey(key, history, transactions, model);
    findings.push(...found);
    edges.push(...dependencies);
  }
  if (model === 'strict-serializable') edges.push(...realtimeEdges(transactions));
  const graph = adjacency(
    transactions.length,
    edges.filter(({ from, to }) => from !== to),
  );
  for (const component of cyclicComponents(graph)) {
    const cycle = findCycle(graph, new Set(component));
    if (cycle !== null) findings.push(cycleFinding(cycle.anomaly, cycle.path, transactions));
  }
  return { valid: findings.length === 0, findings };
}

/** A read shows what the transaction itself has read and appended before, and nothing that it appends later. */
function* internalFindings(transaction: ListTransaction): Iterable<ListAppendFinding> {
  /** What is known of each list: all of it once it was read, otherwise its end. */
  const known = new Map<string, { readonly whole: boolean; readonly list: readonly Element[] }>();
  for (const [index, micro] of transaction.operation.entries()) {
    const [type, key] = micro;
    const { whole, list } = known.get(key) ?? { whole: false, list: [] };
    if (type === 'append') {
      known.set(key, { whole, list: [...list, micro[2]] });
      continue;
    }
    const read = transaction.result?.[index];
    if (read == null) continue;
    const future = transaction.operation
      .slice(index + 1)
      .find((later) => later[0] === 'append' && later[1] === key && read.includes(later[2]));
    if (future !== undefined)
      yield {
        anomaly: 'future read',
        transactions: [transaction],
        text: `${describe(transaction)} read ${key} = ${show(read)}, though it appended ${future[2]} only afterwards`,
      };
    const expected = whole ? list.length : Math.min(list.length, read.length);
    const end = read.slice(read.length - expected);
    if (expected !== list.length || (whole && read.length !== list.length) || !sameList(end, list)) {
      yield {
        anomaly: 'internal',
        transactions: [transaction],
        text: `${describe(transaction)} read ${key} = ${show(read)}, which should ${whole ? 'be' : 'end with'} ${show(list)}`,
      };
    }
    known.set(key, { whole: true, list: read });
  }
}

function readsOf({ operation, result }: ListTransaction): Map<string, Omit<KeyRead, 'reader'>> {
  const reads = new Map<string, Omit<KeyRead, 'reader'>>();
  const appended = new Map<string, number>();
  operation.forEach((micro, index) => {
    const [type, key] = micro;
    const own = appended.get(key) ?? 0;
    if (type === 'append') appended.set(key, own + 1);
    const last = result?.[index];
    if (type === 'append' || last == null) return;
    const list = reads.get(key)?.list ?? last.slice(0, Math.max(0, last.length - own));
    reads.set(key, { list, last });
  });
  return reads;
}

function analyzeKey(
  key: string,
  { writers, reads }: KeyHistory,
  transactions: readonly ListTransaction[],
  model: NonNullable<ListAppendOptions['model']>,
): { found: ListAppendFinding[]; dependencies: DependencyEdge[] } {
  const found: ListAppendFinding[] = [];
  const at = (index: number): ListTransaction => transactions[index] as ListTransaction;
  const report = (anomaly: Anomaly, involved: readonly number[], what: string): void => {
    const shown = involved.map(at);
    found.push({
      anomaly,
      transactions: shown,
      text: [what, ...shown.map((one) => `  ${describe(one)}`)].join('\n'),
    });
  };

  const longest = reads.reduce<KeyRead>((best, read) => (read.last.length > best.last.length ? read : best), {
    reader: -1,
    list: [],
    last: [],
  });
  const order = longest.last;
  const duplicate = firstDuplicate(order);
  if (duplicate !== undefined)
    report('duplicate elements', [longest.reader], `${key} contains ${duplicate} more than once:`);
  const compatible = reads.filter(({ reader, list, last }) => {
    if (isPrefix(list, order) && isPrefix(last, order)) return true;
    report('incompatible order', [reader, longest.reader], `Two reads of ${key} do not agree on its order:`);
    return false;
  });
  const position = new Map(order.map((element, index) => [element, index] as const));

  // Elements that nobody appended, or whose transaction did not take effect, by the first read that shows them.
  const suspicious = order.filter((element) => {
    const writer = writers.get(element);
    return writer === undefined || at(writer).outcome === 'fail';
  });
  for (const element of suspicious) {
    const shownTo = reads.find(({ last }) => last.length > (position.get(element) ?? 0)) ?? longest;
    const writer = writers.get(element);
    if (writer === undefined)
      report(
        'unknown element',
        [shownTo.reader],
        `Nobody appended ${element} to ${key}, but this read shows it:`,
      );
    else
      report(
        'G1a',
        [shownTo.reader, writer],
        `A read of ${key} shows ${element} of a transaction that failed:`,
      );
  }

  const appendsOf = (index: number): Element[] =>
    at(index).operation.flatMap((micro) => (micro[0] === 'append' && micro[1] === key ? [micro[2]] : []));
  for (const { reader, list } of reads) {
    const end = list.at(-1);
    const writer = end === undefined ? undefined : writers.get(end);
    if (end === undefined || writer === undefined || writer === reader) continue;
    if (appendsOf(writer).at(-1) !== end)
      report(
        'G1b',
        [reader, writer],
        `A read of ${key} ends with ${end}, an intermediate state of its transaction:`,
      );
  }

  // Acknowledged appends that no read shows. Reads that had begun before prove nothing.
  const unread = [...writers].filter(
    ([element, writer]) => !position.has(element) && at(writer).outcome !== 'fail',
  );
  const lost = new Set<Element>();
  if (model === 'strict-serializable') {
    const latest = reads.reduce<number | null>(
      (best, { reader }) => (best === null || at(reader).invocation > at(best).invocation ? reader : best),
      null,
    );
    for (const [element, writer] of unread) {
      const { outcome, completion } = at(writer);
      if (latest === null || outcome !== 'ok' || completion === null || completion >= at(latest).invocation)
        continue;
      lost.add(element);
      report(
        'lost append',
        [writer, latest],
        `${element} was appended to ${key}, and no later read shows it:`,
      );
    }
  }

  const dependencies: DependencyEdge[] = [];
  const depend = (from: number | undefined, to: number | undefined, kind: Dependency): void => {
    if (from !== undefined && to !== undefined && from !== to) dependencies.push({ from, to, kind });
  };
  order.forEach((element, index) => {
    const next = order[index + 1];
    if (next !== undefined)
      depend(writers.get(element), writers.get(next), { type: 'ww', key, element, next });
  });
  const notLost = unread.filter(([element]) => !lost.has(element));
  const end = order.at(-1);
  if (end !== undefined) {
    // Appends that no read shows come after all that are shown.
    for (const [next, writer] of notLost)
      depend(writers.get(end), writer, { type: 'ww', key, element: end, next });
  }
  for (const { reader, list } of compatible) {
    const element = list.at(-1) ?? null;
    if (element !== null) depend(writers.get(element), reader, { type: 'wr', key, element });
    // The reader's own appends do not tell who comes next.
    const next = order.slice(list.length).find((each) => writers.get(each) !== reader);
    const following: readonly Element[] = next === undefined ? notLost.map(([unseen]) => unseen) : [next];
    for (const each of following) depend(reader, writers.get(each), { type: 'rw', key, element, next: each });
  }
  return { found, dependencies };
}

/** From each transaction to those invoked after it completed, without the edges that follow from others. */
function* realtimeEdges(transactions: readonly ListTransaction[]): Iterable<DependencyEdge> {
  const kind: Dependency = { type: 'realtime' };
  const events = transactions.flatMap(({ outcome, invocation, completion }, index) => {
    if (outcome === 'fail') return [];
    const invoked = { time: invocation, index, completes: false };
    return completion === null || outcome === 'info'
      ? [invoked]
      : [invoked, { time: completion, index, completes: true }];
  });
  events.sort((a, b) => a.time - b.time || Number(a.completes) - Number(b.completes));
  /** The completed transactions that no other completed transaction follows. */
  let frontier: number[] = [];
  const precededBy = new Map<number, readonly number[]>();
  for (const { index, completes } of events) {
    if (completes) {
      const covered = new Set(precededBy.get(index));
      frontier = [...frontier.filter((each) => !covered.has(each)), index];
    } else {
      precededBy.set(index, frontier);
      for (const from of frontier) yield { from, to: index, kind };
    }
  }
}

/** The most severe cycle within a component, as short as possible. */
function findCycle(
  graph: Adjacency<Dependency>,
  component: ReadonlySet<number>,
): { anomaly: Anomaly; path: DependencyEdge[] } | null {
  const edges = [...component].flatMap((node) => (graph[node] ?? []).filter(({ to }) => component.has(to)));
  const within = (...types: Dependency['type'][]): ((edge: DependencyEdge) => boolean) => {
    const allowed = new Set(types);
    return ({ to, kind }) => component.has(to) && allowed.has(kind.type);
  };
  const searches = {
    G0: { first: 'ww', rest: ['ww'] },
    G1c: { first: 'wr', rest: ['ww', 'wr'] },
    'G-single': { first: 'rw', rest: ['ww', 'wr'] },
    G2: { first: 'rw', rest: ['ww', 'wr', 'rw'] },
  } as const satisfies Record<CycleKind, { first: Dependency['type']; rest: readonly Dependency['type'][] }>;
  for (const suffix of ['', '-realtime'] as const) {
    for (const name of CYCLE_KINDS) {
      const { first, rest } = searches[name];
      const allows = suffix === '' ? within(...rest) : within(...rest, 'realtime');
      let shortest: DependencyEdge[] | null = null;
      for (const edge of edges) {
        if (edge.kind.type !== first) continue;
        const back = shortestPath(graph, edge.to, edge.from, allows);
        if (back !== null && (shortest === null || back.length + 1 < shortest.length))
          shortest = [edge, ...back];
        if (shortest?.length === 2) break;
      }
      if (shortest !== null) return { anomaly: `${name}${suffix}`, path: shortest };
    }
  }
  return null;
}

function cycleFinding(
  anomaly: Anomaly,
  path: readonly DependencyEdge[],
  transactions: readonly ListTransaction[],
): ListAppendFinding {
  const members = path.map(({ from }) => transactions[from] as ListTransaction);
  const nameOf = (index: number): string => `T${path.findIndex(({ from }) => from === index) + 1}`;
  const steps = path.map(({ from, to, kind }, index) => {
    const isLast = index === path.length - 1;
    const reason = reasonOf(kind, nameOf(from), nameOf(to));
    return `  ${isLast ? 'However, ' : ''}${nameOf(from)} precedes ${nameOf(to)}, because ${reason}.`;
  });
  return {
    anomaly,
    transactions: members,
    text: [
      `${anomaly}:`,
      ...members.map((transaction, index) => `  T${index + 1} = ${describe(transaction)}`),
      ...steps,
    ].join('\n'),
  };
}

function reasonOf(kind: Dependency, from: string, to: string): string {
  switch (kind.type) {
    case 'ww':
      return `${from} appended ${kind.element} to ${kind.key}, and ${to} appended ${kind.next} after it`;
    case 'wr':
      return `${to} read ${kind.key} ending with ${kind.element}, which ${from} appended`;
    case 'rw':
      return kind.element === null
        ? `${from} read ${kind.key} without any element, and ${to} appended ${kind.next}`
        : `${from} read ${kind.key} ending with ${kind.element}, and ${to} appended ${kind.next} after it`;
    case 'realtime':
      return `${from} completed before ${to} was invoked`;
  }
}

function isPrefix(list: readonly Element[], of: readonly Element[]): boolean {
  return list.length <= of.length && list.every((element, index) => element === of[index]);
}

const sameList = (one: readonly Element[], other: readonly Element[]): boolean =>
  one.length === other.length && isPrefix(one, other);

function firstDuplicate(list: readonly Element[]): Element | undefined {
  const seen = new Set<Element>();
  return list.find((element) => seen.size === seen.add(element).size);
}

const SHOWN_ELEMENTS = 8;

/** Long lists are shown by their end. */
const show = (list: readonly Element[]): string =>
  list.length <= SHOWN_ELEMENTS
    ? `[${list.join(' ')}]`
    : `[… ${list.length - SHOWN_ELEMENTS} more, ${list.slice(-SHOWN_ELEMENTS).join(' ')}]`;

function describe({ process, operation, result, outcome, invocation, completion }: ListTransaction): string {
  const micros = operation.map((micro, index) => {
    if (micro[0] === 'append') return `append ${micro[2]} to ${micro[1]}`;
    const list = result?.[index];
    return `read ${micro[1]}${list == null ? '' : ` = ${show(list)}`}`;
  });
  return `process ${process} [${invocation}, ${completion ?? '?'}] ${outcome}: ${micros.join(', ')}`;
}
