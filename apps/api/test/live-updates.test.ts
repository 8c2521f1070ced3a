import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import type { StaffId, StaffRole, Svcid } from '@svc/domain';
import { createStreamLimit } from '../src/http/limits/stream-limit.ts';
import { createLiveUpdates } from '../src/http/live-updates.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const SVC_ID = 'SVC-1' as Svcid;

/** A fake response that records the events written to it. */
function reader() {
  const events: string[] = [];
  const sent: string[] = [];
  const ids: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableLength: 4096,
    writableEnded: false,
    setHeader: (...header: string[]) => void sent.push(header.join(': ')),
    destroy: jest.fn(),
    write(text: string) {
      sent.push(text);
      ids.push(...[...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id));
      events.push(...[...text.matchAll(/^event: (.*)$/gm)].map(([, name = '']) => name));
    },
    end() {
      response.writableEnded = true;
      response.emit('close');
    },
  });
  const open = {
    account: SVC_ID,
    topic: SVC_ID,
    response: response as unknown as ServerResponse,
    seen: null,
    tokenHash: 'hash',
    role: null,
  };
  return { events, ids, sent, response, open };
}

type Member = { readonly staffId: StaffId; readonly role: StaffRole };

const live = <Topic extends string = Svcid>(
  edition: (topic: Topic) => string = () => 'one',
  member: () => Member | null | undefined = () => null,
  streamLimit = createStreamLimit({}),
  isDraining = () => false,
) =>
  createLiveUpdates<Topic>(
    { revisions: async (topics) => new Map(topics.map((topic) => [topic, edition(topic)])) },
    {
      streamLimit,
      credentials: {
        async openSessions(hashes, now) {
          const current = member();
          return new Map(
            current === undefined || now !== Date.now() ? [] : hashes.map((one) => [one, current] as const),
          );
        },
      },
      clock: { now: () => Date.now() },
      isDraining,
    },
  );

test('a stream sends a heartbeat every twenty seconds, and one event for each change, also after the last one has closed', async () => {
  let edition = 'one';
  const [{ events, ids, sent, response, open }, later] = [reader(), reader()];
  const { subscribe } = live(() => edition);
  subscribe(open);
  await jest.advanceTimersByTimeAsync(0);
  expect(events).toEqual(['changed']);
  await jest.advanceTimersByTimeAsync(19_000);
  expect(sent).toEqual([
    ...['Content-Type: text/event-stream', 'X-Accel-Buffering: no', 'retry: 3000\n\n'],
    `event: changed\nid: ${ids[0]}\ndata: \n\n`,
  ]);
  await jest.advanceTimersByTimeAsync(22_000);
  expect(events).toEqual(['changed', 'here', 'here']);
  edition = 'two';
  await jest.advanceTimersByTimeAsync(3000);
  expect(events).toEqual(['changed', 'here', 'here', 'changed']);
  response.end();
  await jest.advanceTimersByTimeAsync(1000);
  subscribe(later.open);
  await jest.advanceTimersByTimeAsync(1000);
  edition = 'three';
  await jest.advanceTimersByTimeAsync(1000);
  expect([events.length, later.events]).toEqual([4, ['changed', 'changed']]);
  later.response.end();
});

test('each stream gets the changes of its topic alone, also after an outage, and one that resumes only what it has not seen', async () => {
  const revisions = { a: 'a one', b: 'b one' };
  let [isDown, isDraining] = [false, false];
  const edition = (topic: 'a' | 'b') => {
    if (isDown) throw new Error('the database is down');
    return revisions[topic];
  };
  const { subscribe } = live(edition, undefined, undefined, () => isDraining);
  const [a, b, resumed, unread] = [reader(), reader(), reader(), reader()];
  subscribe({ ...a.open, topic: 'a' });
  subscribe({ ...b.open, topic: 'b' });
  await jest.advanceTimersByTimeAsync(1000);
  subscribe({ ...resumed.open, topic: 'a', seen: a.ids[0] ?? null });
  isDown = true;
  await jest.advanceTimersByTimeAsync(2000);
  isDown = false;
  revisions.b = 'b two';
  unread.response.writableLength = 4097;
  subscribe({ ...unread.open, topic: 'a' });
  await jest.advanceTimersByTimeAsync(2000);
  expect([a, b, resumed].map(({ ids }) => ids.length)).toEqual([1, 2, 0]);
  expect(new Set([...a.ids, ...b.ids]).size).toBe(3);
  expect([a, unread].map(({ response }) => response.destroy.mock.calls.length > 0)).toEqual([false, true]);
  isDraining = true;
  await jest.advanceTimersByTimeAsync(500);
  expect([a, b, resumed].map(({ response }) => response.writableEnded)).toEqual([true, true, true]);
  expect(jest.getTimerCount()).toBe(0);
});

test('a stream sends signed-out and ends within half a second after its session was ended elsewhere, also after an outage', async () => {
  let member: Member | null | undefined = null;
  let [fails, edition] = [true, 'one'];
  const { events, response, open: reading } = reader();
  const updates = live(
    () => edition,
    () => {
      if (fails) throw new Error('The database is unavailable.');
      return member;
    },
  );
  updates.subscribe(reading);
  await jest.advanceTimersByTimeAsync(21_000);
  fails = false;
  member = undefined;
  const end = jest.fn();
  const { close } = Object.assign(response, { end, close: response.end });
  await jest.advanceTimersByTimeAsync(500);
  expect(events).toEqual(['changed', 'here', 'signed-out']);
  expect(end).toHaveBeenCalledTimes(1);
  // Its page signs in again before the connection is closed.
  const next = reader();
  member = null;
  updates.subscribe(next.open);
  close();
  edition = 'two';
  await jest.advanceTimersByTimeAsync(1000);
  expect(next.events).toEqual(['changed', 'changed']);
});

test('the database is asked for changes and sessions again only when it has answered', async () => {
  const asked: string[] = [];
  const hang = (what: string) => () => {
    asked.push(what);
    return new Promise<never>(() => {});
  };
  const { response, open } = reader();
  createLiveUpdates<Svcid>(
    { revisions: hang('changes') },
    {
      ...{ credentials: { openSessions: hang('sessions') }, clock: { now: () => 0 } },
      ...{ streamLimit: createStreamLimit({}), isDraining: () => false },
    },
  ).subscribe(open);
  await jest.advanceTimersByTimeAsync(5000);
  expect(asked).toEqual(['changes', 'sessions']);
  response.end();
});

test.each([
  ['another role', { staffId: 'staff' as StaffId, role: 'auditor' }],
  ['another firm', { staffId: 'staff elsewhere' as StaffId, role: 'admin' }],
] as const)('a stream of staff ends within half a second after its session is of %s', async (_, changed) => {
  let member: Member = { staffId: 'staff' as StaffId, role: 'admin' };
  const { response, open } = reader();
  live(
    () => 'one',
    () => member,
  ).subscribe({ ...open, account: 'staff', role: 'admin' });
  await jest.advanceTimersByTimeAsync(3000);
  expect(response.writableEnded).toBe(false);
  member = changed;
  await jest.advanceTimersByTimeAsync(500);
  expect(response.writableEnded).toBe(true);
});

test('a connection that failed before its stream began counts as no stream', async () => {
  const updates = live();
  for (const state of [{ closed: true }, { headersSent: true }]) {
    const failed = reader();
    Object.assign(failed.response, state);
    updates.subscribe(failed.open);
    await jest.advanceTimersByTimeAsync(21_000);
    expect(failed.events).toEqual([]);
  }
  expect(jest.getTimerCount()).toBe(0);
  const readers = Array.from({ length: 9 }, () => reader());
  for (const { open } of readers) updates.subscribe(open);
  expect(readers.filter(({ response }) => response.writableEnded)).toEqual([readers[0]]);
  for (const { response } of readers) response.end();
});

test('an adjuster has at most eight streams, and older ones get the event replaced and are closed, also while their clients do not read', async () => {
  const updates = live();
  const readers = Array.from({ length: 11 }, () => reader());
  for (const [n, { open, response }] of readers.entries()) {
    response.end = () => {
      response.writableEnded = true; // Closes later.
    };
    updates.subscribe(n === 1 ? { ...open, account: 'other' } : open);
  }
  const isOld = readers.map((_, n) => n === 0 || n === 2);
  expect(readers.map(({ response }) => response.writableEnded)).toEqual(isOld);
  expect(readers.map(({ events }) => events.includes('replaced'))).toEqual(isOld);
  for (const { response } of readers) response.emit('close');
});

test('a stream that is replaced and closes later is counted off once', () => {
  const streamLimit = { add: jest.fn(() => true), remove: jest.fn() };
  const updates = live(undefined, undefined, streamLimit);
  const readers = Array.from({ length: 9 }, () => reader());
  for (const { open } of readers) updates.subscribe(open);
  for (const { response } of readers) response.emit('close');
  expect(streamLimit.remove).toHaveBeenCalledTimes(9);
});

test('all streams of a process take at most half of its connections and a quarter of its memory', () => {
  const onFull = jest.fn();
  const streamLimit = createStreamLimit({ maxConnections: 5, onFull });
  const [app, desk] = [1, 2].map(() => live(undefined, undefined, streamLimit));
  const readers = Array.from({ length: 5 }, () => reader());
  const open = (updates = app, at = 0) => {
    const { open: one } = readers[at] ?? reader();
    updates?.subscribe({ ...one, account: `account-${at}` });
  };
  open(app, 0);
  open(desk, 1);
  for (const [n, ms] of [0, 59_999, 1].entries()) {
    jest.advanceTimersByTime(ms);
    expect(() => open(n === 1 ? desk : app, 2)).toThrow(Unavailable);
  }
  expect(onFull.mock.calls).toEqual([[2], [2]]);
  readers[0]?.response.end();
  open(desk, 3);
  expect(() => open(app, 4)).toThrow(Unavailable);
  for (const { response } of readers) response.end();
  const ofMemory = createStreamLimit({ heapBytes: 2 ** 20 });
  expect([1, 2, 3, 4, 5].map(() => ofMemory.add())).toEqual([true, true, true, true, false]);
  expect(createStreamLimit({ maxConnections: 1 }).add()).toBe(true);
});
