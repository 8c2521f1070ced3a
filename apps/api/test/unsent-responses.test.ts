import { expect, jest, test } from '@jest/globals';
import { createUnsentResponses } from '../src/http/limits/unsent-responses.ts';

interface Client {
  bytesWritten: number;
  writableLength: number;
  destroyed: boolean;
  destroy(): unknown;
}

function fixture(maxBytes = 1000) {
  const latest = new Map<Client, { writableLength: number }>();
  const unsent = createUnsentResponses<Client>({ withinMs: 1000, maxBytes, latest });
  const client = (bytes: number): Client => {
    const one: Client = {
      bytesWritten: bytes,
      writableLength: bytes,
      destroyed: false,
      destroy() {
        one.destroyed = true;
      },
    };
    latest.set(one, { writableLength: bytes });
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
  const { unsent, client } = fixture(Number.POSITIVE_INFINITY);
  const [steady, slow] = [client(10_000_000), client(10_000_000)];
  for (let now = 0; now < 10_000; now += 500) {
    unsent.check(now);
    steady.writableLength -= 65_536;
    slow.writableLength -= 1;
  }
  expect([steady.destroyed, slow.destroyed]).toEqual([false, true]);
});

test('when unread responses exceed the memory limit, only the connections that waited longest are destroyed', () => {
  const { unsent, client } = fixture(1000);
  const clients = Array.from({ length: 4 }, (_, index) => {
    const one = client(300);
    unsent.check(index);
    return one;
  });
  expect(clients.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  unsent.check(10);
  expect(clients.filter(({ destroyed }) => destroyed)).toHaveLength(1);
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
