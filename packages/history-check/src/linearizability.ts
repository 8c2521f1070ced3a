import type { HistoryEntry } from './history.ts';

/** The sequential behavior of one object. */
export interface Model<State, Operation, Result> {
  init(): State;
  /**
   * The states that the operation may lead to; none when it cannot return `result` in this state.
   *
   * @param result undefined: unknown.
   */
  step(state: State, operation: Operation, result: Result | undefined): readonly State[];
  /** Equal states have equal hashes. Default: the JSON text. */
  hash?(state: State): string;
  /** Default: equal hashes. */
  equals?(one: State, other: State): boolean;
}

export interface LinearizabilityOptions {
  /** Steps of the search per object, after which the verdict is `unknown`. */
  readonly maxSteps?: number;
}

export interface LinearizabilityFailure<Operation, Result> {
  readonly key: string;
  /** The history is linearizable until this operation completes. */
  readonly entry: HistoryEntry<Operation, Result>;
  /**
   * Results that contradict each other: with any of them unknown, the history up to `entry` would be linearizable, as
   * far as the steps allow to find out.
   */
  readonly contradiction: readonly HistoryEntry<Operation, Result>[];
  /** The longest order that the search found, up to `entry`. */
  readonly longest: readonly HistoryEntry<Operation, Result>[];
  readonly text: string;
}

export interface LinearizabilityReport<Operation, Result> {
  readonly valid: boolean | 'unknown';
  /** For each linearizable object, an order of its operations. */
  readonly orders: ReadonlyMap<string, readonly HistoryEntry<Operation, Result>[]>;
  readonly failures: readonly LinearizabilityFailure<Operation, Result>[];
  /** Objects whose search was ended by `maxSteps`. */
  readonly undecided: readonly string[];
}

const DEFAULT_MAX_STEPS = 5_000_000;

/**
 * Decides for each object whether its operations could have taken effect one at a time, each between its invocation and
 * its completion: the search of Wing and Gong with Lowe's cache of visited states, on one object at a time.
 */
export function checkLinearizability<State, Operation, Result>(
  entries: Iterable<HistoryEntry<Operation, Result>>,
  model: Model<State, Operation, Result>,
  { maxSteps = DEFAULT_MAX_STEPS }: LinearizabilityOptions = {},
): LinearizabilityReport<Operation, Result> {
  const orders = new Map<string, readonly HistoryEntry<Operation, Result>[]>();
  const failures: LinearizabilityFailure<Operation, Result>[] = [];
  const undecided: string[] = [];
  for (const [key, ofKey] of partition(entries)) {
    const found = search(ofKey, model, maxSteps);
    if (found.valid === true) orders.set(key, found.order);
    else if (found.valid === false) failures.push(explain(key, ofKey, model, maxSteps));
    else undecided.push(key);
  }
  const valid = failures.length > 0 ? false : undecided.length > 0 ? 'unknown' : true;
  return { valid, orders, failures, undecided };
}

function partition<O, R>(entries: Iterable<HistoryEntry<O, R>>): Map<string, HistoryEntry<O, R>[]> {
  const parts = new Map<string, HistoryEntry<O, R>[]>();
  for (const entry of entries) {
    if (entry.outcome === 'fail') continue;
    const part = parts.get(entry.key ?? '');
    if (part === undefined) parts.set(entry.key ?? '', [entry]);
    else part.push(entry);
  }
  return parts;
}

interface Found<O, R> {
  readonly valid: boolean | 'unknown';
  /** All operations, or the longest order found. */
  readonly order: readonly HistoryEntry<O, R>[];
}

/** A choice that can be undone: the call, the states it may lead to, and the one chosen. */
interface Frame<State> {
  readonly call: number;
  readonly states: readonly State[];
  readonly chosen: number;
  readonly before: State;
}

const HEAD = 0;

function search<State, O, R>(
  entries: readonly HistoryEntry<O, R>[],
  model: Model<State, O, R>,
  maxSteps: number,
): Found<O, R> {
  const { step, hash = JSON.stringify as (state: State) => string } = model;
  const equalsByModel = model.equals ?? ((one: State, other: State) => hash(one) === hash(other));
  // Models return the same object where an operation changes nothing, as most do that may have happened at any time.
  const equals = (one: State, other: State): boolean => one === other || equalsByModel(one, other);
  const count = entries.length;
  const at = (index: number): HistoryEntry<O, R> => entries[index] as HistoryEntry<O, R>;

  // A linked list of events in the order of time. Node 0 is the head, 1 to count are invocations, the rest completions.
  const timeOf = (node: number): number =>
    node <= count ? at(node - 1).invocation : (at(node - count - 1).completion ?? Number.POSITIVE_INFINITY);
  const isOk = (call: number): boolean => at(call - 1).outcome === 'ok';
  const events: number[] = [];
  for (let call = 1; call <= count; call += 1) {
    events.push(call);
    if (isOk(call)) events.push(call + count);
  }
  // Operations that touch in one instant are concurrent, so invocations come first.
  events.sort((a, b) => timeOf(a) - timeOf(b) || Number(a > count) - Number(b > count) || a - b);
  const next = new Int32Array(2 * count + 1).fill(HEAD);
  const previous = new Int32Array(2 * count + 1).fill(HEAD);
  let last = HEAD;
  for (const node of events) {
    next[last] = node;
    previous[node] = last;
    last = node;
  }
  next[last] = HEAD;
  previous[HEAD] = last;
  const after = (node: number): number => next[node] as number;
  const unlink = (node: number): void => {
    next[previous[node] as number] = after(node);
    previous[after(node)] = previous[node] as number;
  };
  const relink = (node: number): void => {
    next[previous[node] as number] = node;
    previous[after(node)] = node;
  };

  const linearized = new Uint32Array(Math.ceil(count / 32));
  const flip = (call: number): void => {
    const word = (call - 1) >>> 5;
    linearized[word] = (linearized[word] as number) ^ (1 << ((call - 1) & 31));
  };
  const visited = new Map<string, State[]>();
  const isNew = (state: State): boolean => {
    const key = `${linearized.join()}|${hash(state)}`;
    const states = visited.get(key);
    if (states === undefined) visited.set(key, [state]);
    else if (states.some((known) => equals(known, state))) return false;
    else states.push(state);
    return true;
  };

  let state = model.init();
  let openOk = entries.filter(({ outcome }) => outcome === 'ok').length;
  const frames: Frame<State>[] = [];
  let longest: number[] = [];
  const orderOf = (calls: readonly number[]): HistoryEntry<O, R>[] => calls.map((call) => at(call - 1));

  /** Lets the operation take effect now, with the first possible state from this index. */
  const take = (call: number, states: readonly State[], from: number): boolean => {
    for (let chosen = from; chosen < states.length; chosen += 1) {
      const candidate = states[chosen] as State;
      // An operation that need not have happened is of use only if it changes the state.
      if (!isOk(call) && equals(candidate, state)) continue;
      flip(call);
      if (!isNew(candidate)) {
        flip(call);
        continue;
      }
      frames.push({ call, states, chosen, before: state });
      state = candidate;
      unlink(call);
      if (isOk(call)) {
        unlink(call + count);
        openOk -= 1;
      }
      return true;
    }
    return false;
  };

  let node = after(HEAD);
  for (let steps = 0; openOk > 0; steps += 1) {
    if (steps >= maxSteps) return { valid: 'unknown', order: orderOf(longest) };
    if (node !== HEAD && node <= count) {
      const { operation, result, outcome } = at(node - 1);
      const states = step.call(model, state, operation, outcome === 'ok' ? result : undefined);
      node = take(node, states, 0) ? after(HEAD) : after(node);
      continue;
    }
    // The operation that completes here, or the end, is reached without having taken effect.
    if (frames.length > longest.length) longest = frames.map(({ call }) => call);
    const frame = frames.pop();
    if (frame === undefined) return { valid: false, order: orderOf(longest) };
    const { call, states, chosen, before } = frame;
    if (isOk(call)) {
      relink(call + count);
      openOk += 1;
    }
    relink(call);
    flip(call);
    state = before;
    node = take(call, states, chosen + 1) ? after(HEAD) : after(call);
  }
  return { valid: true, order: orderOf(frames.map(({ call }) => call)) };
}

const asUnknown = <O, R>({ result: _, ...entry }: HistoryEntry<O, R>): HistoryEntry<O, R> => ({
  ...entry,
  completion: null,
  outcome: 'info',
});

/** The events of a history up to a time. */
const upTo = <O, R>(entries: readonly HistoryEntry<O, R>[], time: number): HistoryEntry<O, R>[] =>
  entries.flatMap((entry) => {
    if (entry.invocation > time) return [];
    return entry.completion !== null && entry.completion <= time ? [entry] : [asUnknown(entry)];
  });

function explain<State, O, R>(
  key: string,
  entries: readonly HistoryEntry<O, R>[],
  model: Model<State, O, R>,
  maxSteps: number,
): LinearizabilityFailure<O, R> {
  const completed = entries
    .filter((entry) => entry.outcome === 'ok')
    .sort((a, b) => (a.completion ?? 0) - (b.completion ?? 0));
  // Every prefix of a linearizable history is linearizable, so the shortest one that is not can be bisected.
  let low = 0;
  let high = completed.length - 1;
  const timeAt = (index: number): number => completed[index]?.completion ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (search(upTo(entries, timeAt(middle)), model, maxSteps).valid === false) high = middle;
    else low = middle + 1;
  }
  const prefix = upTo(entries, timeAt(low));
  const { order } = search(prefix, model, maxSteps);

  // A linearizable history stays linearizable when a result is forgotten, so what must be kept contradicts itself.
  let kept = prefix;
  const needed = new Set(prefix.filter(({ outcome }) => outcome === 'ok'));
  for (const entry of [...needed]) {
    const without = kept.map((each) => (each === entry ? asUnknown(entry) : each));
    if (search(without, model, maxSteps / 100).valid !== false) continue;
    kept = without;
    needed.delete(entry);
  }
  const culprit = completed[low] as HistoryEntry<O, R>;
  const contradiction = [...needed];
  return {
    key,
    entry: culprit,
    contradiction,
    longest: order,
    text: [
      `${key === '' ? 'The history' : key} is not linearizable once this completes:`,
      `  ${describe(culprit)}`,
      'These results contradict each other:',
      ...contradiction.map((entry) => `  ${describe(entry)}`),
      'The longest order found:',
      ...order.map((entry) => `  ${describe(entry)}`),
    ].join('\n'),
  };
}

const describe = ({
  process,
  operation,
  invocation,
  completion,
  outcome,
  result,
}: HistoryEntry<unknown, unknown>): string =>
  `[${invocation}, ${completion ?? '?'}] process ${process}: ${JSON.stringify(operation)} ${
    outcome === 'ok' ? `→ ${JSON.stringify(result)}` : '(unknown)'
  }`;
