import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createEventStream } from '../src/event-stream.ts';

/** What the page opened, and the events that a test sends it. */
class FakeEventSource extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static readonly opened: FakeEventSource[] = [];
  readyState = FakeEventSource.OPEN;
  constructor(readonly url: string) {
    super();
    FakeEventSource.opened.push(this);
  }
  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
  send(name: string, lastEventId = ''): void {
    this.dispatchEvent(Object.assign(new Event(name), { lastEventId }));
  }
}

const channels: Set<FakeChannel> = new Set();
/** Node's own delivers outside of the timers of a test. */
class FakeChannel extends EventTarget {
  constructor(readonly name: string) {
    super();
    channels.add(this);
  }
  postMessage(data: unknown): void {
    for (const other of channels)
      if (other !== this && other.name === this.name)
        other.dispatchEvent(Object.assign(new Event('message'), { data }));
  }
}

const FAKES = { BroadcastChannel: FakeChannel, EventSource: FakeEventSource, navigator: {} };
const originals = Object.keys(FAKES).map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);
beforeEach(() => {
  jest.useFakeTimers();
  FakeEventSource.opened.length = 0;
  channels.clear();
  for (const [name, value] of Object.entries(FAKES))
    Object.defineProperty(globalThis, name, { value, configurable: true });
});
afterEach(() => {
  jest.useRealTimers();
  for (const [name, original] of originals)
    if (original === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, original);
});

const page = () => {
  const handlers = {
    changed: jest.fn(),
    signedOut: jest.fn(),
    disconnected: jest.fn(),
    connected: jest.fn(),
  };
  return { handlers, stream: createEventStream('/events', handlers) };
};

test('a stream that the service closed in favor of another one stays closed for minutes, and the page polls', () => {
  const { stream, handlers } = page();
  stream.open();
  const [source] = FakeEventSource.opened;
  source?.send('open');
  expect(stream.isAlive()).toBe(true);
  source?.send('replaced');
  expect(source?.readyState).toBe(FakeEventSource.CLOSED);
  expect(stream.isAlive()).toBe(false);
  expect(handlers.disconnected).toHaveBeenCalledWith(false);
  // As pages do twice a minute without events.
  for (let poll = 0; poll < 19; poll += 1) {
    jest.advanceTimersByTime(30_000);
    stream.close();
    stream.open();
  }
  expect(FakeEventSource.opened).toHaveLength(1);
  jest.advanceTimersByTime(30_000);
  stream.open();
  expect(FakeEventSource.opened).toHaveLength(2);
  stream.close();
});

test('after a connection, a refused one is tried again soon, and then later and later', () => {
  const { stream, handlers } = page();
  stream.open();
  const refuse = (): void => {
    const source = FakeEventSource.opened.at(-1);
    source?.close();
    source?.send('error');
  };
  const triedAfter = (ms: number): void => {
    const before = FakeEventSource.opened.length;
    jest.advanceTimersByTime(ms - 1);
    expect(FakeEventSource.opened).toHaveLength(before);
    jest.advanceTimersByTime(1);
    expect(FakeEventSource.opened).toHaveLength(before + 1);
  };
  for (const ms of [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    refuse();
    triedAfter(ms);
  }
  FakeEventSource.opened.at(-1)?.send('open');
  refuse();
  triedAfter(2000);
  // One that browsers open again themselves, and one of before, are left alone.
  FakeEventSource.opened.at(-1)?.send('error');
  FakeEventSource.opened[0]?.send('error');
  refuse();
  stream.close();
  const before = FakeEventSource.opened.length;
  jest.advanceTimersByTime(600_000);
  expect(FakeEventSource.opened).toHaveLength(before);
  expect(handlers.disconnected.mock.calls).toEqual([...Array(8).fill([true]), [false], [true]]);
});

test('a page hears of each change, of the end of its session, and what another tab has heard, and knows a dead stream after 50 seconds', () => {
  const [one, other, closed] = [page(), page(), page()];
  one.stream.open();
  one.stream.open();
  const [source] = FakeEventSource.opened;
  expect([FakeEventSource.opened.length, one.stream.isAlive()]).toEqual([1, false]);
  source?.send('open');
  source?.send('changed', 'r1');
  other.stream.open();
  // It has lost its connection, and is opening it again.
  Object.assign(FakeEventSource.opened[1] ?? {}, { readyState: 0 });
  source?.send('changed', 'r2');
  source?.send('signed-out');
  const heard = ({ handlers: { changed, signedOut, connected } }: ReturnType<typeof page>) => [
    changed.mock.calls.flat(),
    ...[signedOut, connected].map(({ mock }) => mock.calls.length),
  ];
  expect([one, other, closed].map(heard)).toEqual([
    [['r1', 'r2'], 1, 1],
    [['r1', 'r2'], 0, 0],
    [[], 0, 0],
  ]);
  jest.advanceTimersByTime(49_999);
  source?.send('changed', 'r3');
  jest.advanceTimersByTime(49_999);
  expect([one, other].map(({ stream }) => stream.isAlive())).toEqual([true, true]);
  source?.send('here');
  jest.advanceTimersByTime(49_999);
  expect([one, other].map(({ stream }) => stream.isAlive())).toEqual([true, true]);
  jest.advanceTimersByTime(1);
  expect([one, other].map(({ stream }) => stream.isAlive())).toEqual([false, false]);
  for (const isAlive of [true, false]) {
    one.stream.close();
    one.stream.open();
    if (isAlive) FakeEventSource.opened.at(-1)?.send('open');
    expect(one.stream.isAlive()).toBe(isAlive);
  }
  // What it knew before it was closed may have changed since.
  FakeEventSource.opened.at(-1)?.send('open');
  closed.stream.open();
  expect(closed.handlers.changed).not.toHaveBeenCalled();
  for (const { stream } of [one, other, closed]) stream.close();
});

/** Exclusive, as those of browsers: who waits can give up. */
function webLocks() {
  const waiting = new Set<() => void>();
  let isHeld = false;
  return {
    async request(name: string, { signal }: { readonly signal: AbortSignal }, hold: () => Promise<void>) {
      // Another page of the browser has its own.
      expect(name).toBe('/events');
      if (isHeld)
        await new Promise<void>((granted, refused) => {
          waiting.add(granted);
          signal.addEventListener('abort', () => waiting.delete(granted) && refused(signal.reason));
        });
      isHeld = true;
      await hold();
      const [next] = waiting;
      isHeld = next !== undefined;
      if (next !== undefined && waiting.delete(next)) next();
    },
  };
}

test('of several tabs one has the connection, and another one that is still open takes over when it is closed', async () => {
  Object.defineProperty(globalThis, 'navigator', { value: { locks: webLocks() }, configurable: true });
  const [one, closed, next] = [page(), page(), page()];
  const tabs = [one, closed, next];
  for (const { stream } of tabs) stream.open();
  const connections = [];
  for (const { stream } of [closed, one, next]) {
    await jest.advanceTimersByTimeAsync(0);
    FakeEventSource.opened.at(-1)?.send('open');
    connections.push(FakeEventSource.opened.map(({ readyState }) => readyState));
    stream.close();
  }
  const { OPEN, CLOSED } = FakeEventSource;
  expect(connections).toEqual([[OPEN], [OPEN], [CLOSED, OPEN]]);
  expect(tabs.map(({ handlers }) => handlers.connected.mock.calls.length)).toEqual([2, 0, 1]);
});

test('with the stream of one tab those of the others stay closed, which would end the next one', () => {
  const [one, other] = [page(), page()];
  one.stream.open();
  other.stream.open();
  const [first, ...others] = FakeEventSource.opened;
  first?.send('replaced');
  for (const { handlers } of [one, other]) expect(handlers.disconnected.mock.calls).toEqual([[false]]);
  for (const { stream } of [one, other]) stream.open();
  expect(FakeEventSource.opened).toHaveLength(1 + others.length);
  expect(FakeEventSource.opened.map(({ readyState }) => readyState)).not.toContain(FakeEventSource.OPEN);
});

test('a browser without such streams has none, and the page polls', () => {
  Reflect.deleteProperty(globalThis, 'EventSource');
  const { stream } = page();
  stream.open();
  expect([stream.isAlive(), FakeEventSource.opened]).toEqual([false, []]);
});
