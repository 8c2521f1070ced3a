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
  /** Whether the check ends with the first object that is not linearizable. Default: all objects are checked. */
  readonly stopAtFirstFailure?: boolean;
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
  { maxSteps = DEFAULT_MAX_STEPS, stopAtFirstFailure = false }: LinearizabilityOptions = {},
): LinearizabilityReport<Operation, Result> {
  const orders = new Map<string, readonly HistoryEntry<Operation, Result>[]>();
  const failures: LinearizabilityFailure<Operation, Result>[] = [];
  const undecided: string[] = [];
  for (const [key, ofKey] of partition(entries)) {
    const found = search(ofKey, model, maxSteps);
    if (found.valid === true) orders.set(key, found.order);
    else if (found.valid === false) failures.push(explain(key, ofKey, found, model, maxSteps));
    else undecided.push(key);
    if (stopAtFirstFailure && failures.length > 0) break;
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
  readonly steps: number;
  /** The latest completion that the search reached before the operation had taken effect. */
  readonly stuckAt: number;
}

/** A choice that the search has tried: the operations that have taken effect, and the state they lead to. */
interface Visited<State> {
  readonly linearized: Uint32Array;
  readonly state: State;
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
  const { step } = model;
  /** Primitive states are compared as they are. */
  const hash = (state: State): unknown =>
    model.hash !== undefined ? model.hash(state) : typeof state === 'object' ? JSON.stringify(state) : state;
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
  /** Of `linearized`, changed with each of its bits: texts of all of them took most of the time of a search. */
  let hashOfLinearized = 0;
  const flip = (call: number): void => {
    const word = (call - 1) >>> 5;
    linearized[word] = (linearized[word] as number) ^ (1 << ((call - 1) & 31));
    const mixed = Math.imul(call, 0x9e3779b1);
    hashOfLinearized ^= Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  };
  /** By the hash of `linearized`, then by that of the state. */
  const visited = new Map<number, Map<unknown, Visited<State>[]>>();
  const isNew = (state: State): boolean => {
    const byState = visited.get(hashOfLinearized) ?? new Map<unknown, Visited<State>[]>();
    if (byState.size === 0) visited.set(hashOfLinearized, byState);
    const stateHash = hash(state);
    const alike = byState.get(stateHash);
    if (alike?.some((known) => isVisited(known, state))) return false;
    const one = { linearized: linearized.slice(), state };
    if (alike === undefined) byState.set(stateHash, [one]);
    else alike.push(one);
    return true;
  };
  const isVisited = (known: Visited<State>, state: State): boolean => {
    for (let word = 0; word < linearized.length; word += 1)
      if (known.linearized[word] !== linearized[word]) return false;
    return model.equals?.(known.state, state) ?? true;
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
  let stuckAt = Number.NEGATIVE_INFINITY;
  let steps = 0;
  for (; openOk > 0; steps += 1) {
    if (steps >= maxSteps) return { valid: 'unknown', order: orderOf(longest), steps, stuckAt };
    if (node !== HEAD && node <= count) {
      const { operation, result, outcome } = at(node - 1);
      const states = step.call(model, state, operation, outcome === 'ok' ? result : undefined);
      node = take(node, states, 0) ? after(HEAD) : after(node);
      continue;
    }
    // The operation that completes here, or the end, is reached without having taken effect.
    if (frames.length > longest.length) longest = frames.map(({ call }) => call);
    if (node !== HEAD) stuckAt = Math.max(stuckAt, timeOf(node));
    const frame = frames.pop();
    if (frame === undefined) return { valid: false, order: orderOf(longest), steps, stuckAt };
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
  return { valid: true, order: orderOf(frames.map(({ call }) => call)), steps, stuckAt };
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

/** Steps of all searches that look for the smallest contradiction, as a part of those for the verdict. */
const CONTRADICTION_STEPS = 1 / 20;

/** @param found the search of all entries. */
function explain<State, O, R>(
  key: string,
  entries: readonly HistoryEntry<O, R>[],
  found: Found<O, R>,
  model: Model<State, O, R>,
  maxSteps: number,
): LinearizabilityFailure<O, R> {
  const completed = entries
    .filter((entry) => entry.outcome === 'ok')
    .sort((a, b) => (a.completion ?? 0) - (b.completion ?? 0));
  const timeAt = (index: number): number => completed[index]?.completion ?? 0;
  let { order } = found;
  const isBadUpTo = (index: number): boolean => {
    const ofPrefix = search(upTo(entries, timeAt(index)), model, maxSteps);
    if (ofPrefix.valid === false) order = ofPrefix.order;
    return ofPrefix.valid === false;
  };
  // Every prefix of a linearizable history is linearizable, so the shortest one that is not can be bisected. It does not
  // end before the search got stuck, and mostly there.
  let low = completed.findIndex(({ completion }) => completion === found.stuckAt);
  let high = completed.length - 1;
  if (isBadUpTo(low)) high = low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBadUpTo(middle)) high = middle;
    else low = middle + 1;
  }
  const prefix = upTo(entries, timeAt(low));

  // A linearizable history stays linearizable when a result is forgotten, so what must be kept contradicts itself.
  let kept = prefix;
  let stepsLeft = maxSteps * CONTRADICTION_STEPS;
  const contradiction: HistoryEntry<O, R>[] = [];
  const reduce = (part: readonly HistoryEntry<O, R>[]): void => {
    const forgotten = new Set(part);
    const without = kept.map((each) => (forgotten.has(each) ? asUnknown(each) : each));
    const { valid, steps } = search(without, model, Math.min(stepsLeft, maxSteps / 1000));
    stepsLeft -= steps;
    if (valid === false) {
      kept = without;
    } else if (part.length === 1 || stepsLeft <= 0) {
      contradiction.push(...part);
    } else {
      const middle = part.length >>> 1;
      reduce(part.slice(0, middle));
      reduce(part.slice(middle));
    }
  };
  reduce(prefix.filter(({ outcome }) => outcome === 'ok'));
  const culprit = completed[low] as HistoryEntry<O, R>;
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
