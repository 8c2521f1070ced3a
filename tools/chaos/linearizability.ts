/** The sequential behavior of one object. */
export interface Model<State, Operation, Result> {
  init(): State;
  /**
   * The states that the operation may lead to; none when it cannot return `result` in this state.
   *
   * @param result undefined: unknown.
   */
  step(state: State, operation: Operation, result: Result | undefined): readonly State[];
}

/** One operation of one process. Operations with equal times are concurrent. */
export interface HistoryEntry<Operation, Result> {
  readonly process: string;
  /** The object that the operation is on; each is checked by itself. */
  readonly key: string;
  readonly operation: Operation;
  /** On one clock for all processes. */
  readonly invocation: number;
  /** Null: it may have taken effect at any time after its invocation, or never. */
  readonly completion: number | null;
  /** What a completed operation returned. */
  readonly result?: Result;
}

/**
 * Decides for each object whether its operations could have taken effect one at a time, each between its invocation and
 * its completion: the search of Wing and Gong with Lowe's cache of visited states. Undecided are objects whose search
 * took more than `maxSteps`.
 */
export function checkLinearizability<State, Operation, Result>(
  entries: Iterable<HistoryEntry<Operation, Result>>,
  model: Model<State, Operation, Result>,
  maxSteps = 5_000_000,
) {
  const parts = new Map<string, HistoryEntry<Operation, Result>[]>();
  for (const entry of entries) {
    const part = parts.get(entry.key);
    if (part === undefined) parts.set(entry.key, [entry]);
    else part.push(entry);
  }
  let linearizable = 0;
  const failures: { key: string; text: string }[] = [];
  const undecided: string[] = [];
  for (const [key, part] of parts) {
    const found = search(part, model, maxSteps);
    if (found === true) linearizable += 1;
    else if (found === 'unknown') undecided.push(key);
    else failures.push({ key, text: explain(key, part, found) });
  }
  return { linearizable, failures, undecided };
}

/** Where the search of an object failed. */
interface Stuck<O, R> {
  readonly longest: readonly HistoryEntry<O, R>[];
  /** The latest completion that the search reached before the operation had taken effect. */
  readonly at: number;
}

/** A choice that can be undone: the call, the states it may lead to, and the one chosen. */
interface Frame<State> {
  readonly call: number;
  readonly states: readonly State[];
  readonly chosen: number;
  readonly before: State;
}

const HEAD = 0;

/** Primitive states are compared as they are. */
const identityOf = (state: unknown): unknown => (typeof state === 'object' ? JSON.stringify(state) : state);

function search<State, O, R>(
  entries: readonly HistoryEntry<O, R>[],
  model: Model<State, O, R>,
  maxSteps: number,
): true | 'unknown' | Stuck<O, R> {
  const count = entries.length;
  const at = (index: number): HistoryEntry<O, R> => entries[index] as HistoryEntry<O, R>;

  // A linked list of events in the order of time. Node 0 is the head, 1 to count are invocations, the rest completions.
  const timeOf = (node: number): number =>
    node <= count ? at(node - 1).invocation : (at(node - count - 1).completion ?? Number.POSITIVE_INFINITY);
  const isComplete = (call: number): boolean => at(call - 1).completion !== null;
  const events: number[] = [];
  for (let call = 1; call <= count; call += 1) {
    events.push(call);
    if (isComplete(call)) events.push(call + count);
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
  /** Choices that were tried: the operations that have taken effect, and the state they lead to. */
  const visited = new Map<number, { readonly linearized: Uint32Array; readonly state: unknown }[]>();
  const isNew = (candidate: State): boolean => {
    const identity = identityOf(candidate);
    const alike = visited.get(hashOfLinearized) ?? [];
    if (alike.length === 0) visited.set(hashOfLinearized, alike);
    const isKnown = alike.some(
      (known) =>
        known.state === identity && known.linearized.every((word, index) => word === linearized[index]),
    );
    if (!isKnown) alike.push({ linearized: linearized.slice(), state: identity });
    return !isKnown;
  };

  let state = model.init();
  let open = entries.filter(({ completion }) => completion !== null).length;
  const frames: Frame<State>[] = [];
  let longest: number[] = [];

  /** Lets the operation take effect now, with the first possible state from this index. */
  const take = (call: number, states: readonly State[], from: number): boolean => {
    for (let chosen = from; chosen < states.length; chosen += 1) {
      const candidate = states[chosen] as State;
      // An operation that need not have happened is of use only if it changes the state.
      const changes = candidate !== state && identityOf(candidate) !== identityOf(state);
      if (!isComplete(call) && !changes) continue;
      flip(call);
      if (!isNew(candidate)) {
        flip(call);
        continue;
      }
      frames.push({ call, states, chosen, before: state });
      state = candidate;
      unlink(call);
      if (isComplete(call)) {
        unlink(call + count);
        open -= 1;
      }
      return true;
    }
    return false;
  };

  let node = after(HEAD);
  let stuckAt = Number.NEGATIVE_INFINITY;
  for (let steps = 0; open > 0; steps += 1) {
    if (steps >= maxSteps) return 'unknown';
    if (node !== HEAD && node <= count) {
      const { operation, result } = at(node - 1);
      const states = model.step(state, operation, isComplete(node) ? result : undefined);
      node = take(node, states, 0) ? after(HEAD) : after(node);
      continue;
    }
    // The operation that completes here, or the end, is reached without having taken effect.
    if (frames.length > longest.length) longest = frames.map(({ call }) => call);
    if (node !== HEAD) stuckAt = Math.max(stuckAt, timeOf(node));
    const frame = frames.pop();
    if (frame === undefined) return { longest: longest.map((call) => at(call - 1)), at: stuckAt };
    const { call, states, chosen, before } = frame;
    if (isComplete(call)) {
      relink(call + count);
      open += 1;
    }
    relink(call);
    flip(call);
    state = before;
    node = take(call, states, chosen + 1) ? after(HEAD) : after(call);
  }
  return true;
}

const explain = <O, R>(
  key: string,
  entries: readonly HistoryEntry<O, R>[],
  { longest, at }: Stuck<O, R>,
): string =>
  [
    `${key} is not linearizable once this completes:`,
    ...entries.filter(({ completion }) => completion === at).map(describe),
    'The longest order found:',
    ...longest.map(describe),
  ].join('\n');

const describe = ({
  process,
  operation,
  invocation,
  completion,
  result,
}: HistoryEntry<unknown, unknown>): string =>
  `  [${invocation}, ${completion ?? '?'}] process ${process}: ${JSON.stringify(operation)} ${
    completion === null ? '(unknown)' : `→ ${JSON.stringify(result)}`
  }`;
