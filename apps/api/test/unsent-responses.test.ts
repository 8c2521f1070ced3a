import { expect, jest, test } from '@jest/globals';
import { createUnsentResponses } from '../src/http/limits/unsent-responses.ts';

interface Client {
  bytesWritten: number;
  writableLength: number;
  destroyed: boolean;
  destroy(): unknown;
}

function fixture(limit: { maxBytes?: number } = { maxBytes: 1000 }) {
  const latest = new Map<Client, { writableLength: number }>();
  const unsent = createUnsentResponses<Client>({ withinMs: 1000, ...limit, latest });
  const client = (bytes: number, ofResponse = bytes): Client => {
    const one: Client = {
      bytesWritten: bytes,
      writableLength: bytes,
      destroyed: false,
      destroy() {
        one.destroyed = true;
      },
    };
    latest.set(one, { writableLength: ofResponse });
    unsent.connections.add(one);
    return one;
  };
  return { unsent, client, latest };
}

test('a connection is destroyed if its response was not read in time', () => {
  const { unsent, client } = fixture();
  const slow = client(10);
  const [quick, idle] = [client(10), client(0)];
  unsent.check(0);
  quick.writableLength = 0;
  unsent.check(999);
  expect(slow.destroyed).toBe(false);
  unsent.check(1000);
  expect([slow, quick, idle].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
});

test('the timeout applies to each response, not to the whole connection', () => {
  const { unsent, client, latest } = fixture();
  const steady = client(10);
  for (let now = 0; now < 10_000; now += 500) {
    latest.set(steady, { writableLength: 10 });
    unsent.check(now);
  }
  expect(steady.destroyed).toBe(false);
});

test('a client that reads a long response slowly but steadily keeps its connection, one that trickles does not', () => {
  const { unsent, client } = fixture({ maxBytes: Number.POSITIVE_INFINITY });
  const [steady, slow] = [client(10_000_000), client(10_000_000)];
  for (let now = 0; now < 10_000; now += 500) {
    unsent.check(now);
    steady.writableLength -= 65_536;
    slow.writableLength -= 1;
  }
  expect([steady.destroyed, slow.destroyed]).toEqual([false, true]);
});

test('when unread responses exceed the memory limit, only the connections that waited longest are destroyed', () => {
  const { unsent, client } = fixture();
  const clients = Array.from({ length: 4 }, (_, index) => {
    const one = index % 2 === 0 ? client(300, 1) : client(1, 300);
    unsent.check(index);
    return one;
  });
  expect(clients.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  unsent.check(10);
  expect(clients.filter(({ destroyed }) => destroyed)).toHaveLength(1);
  const [, closed, longest, growing] = clients;
  if (closed === undefined || growing === undefined) throw new Error('There are four.');
  unsent.connections.delete(closed);
  const last = client(600);
  unsent.check(11);
  expect([closed, longest, growing, last].map((one) => one?.destroyed)).toEqual([false, true, false, false]);
  growing.writableLength = 900;
  unsent.check(12);
  expect([growing.destroyed, last.destroyed]).toEqual([true, false]);
});

test('unless set, unread responses may take 128 MB', () => {
  const { unsent, client } = fixture({});
  const [first, last] = [client(2 ** 27 - 1), client(1)];
  for (const bytes of [1, 2]) {
    last.writableLength = bytes;
    unsent.check(0);
    expect(first.destroyed).toBe(bytes === 2);
  }
});

test('connections are checked four times a second until that is stopped', () => {
  jest.useFakeTimers();
  try {
    const { unsent, client } = fixture();
    const [slow, checks] = [client(10), unsent.start()];
    jest.advanceTimersByTime(1249);
    expect(slow.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    expect(slow.destroyed).toBe(true);
    checks.stop();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
