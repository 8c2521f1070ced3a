import { expect, jest, test } from '@jest/globals';
import { createUnsentResponses } from '../src/http/limits/unsent-responses.ts';

interface Client {
  bytesWritten: number;
  writableLength: number;
  destroyed: boolean;
  destroy(): unknown;
}

function fixture() {
  const latest = new Map<Client, { writableLength: number }>();
  const unsent = createUnsentResponses<Client>({ withinMs: 1000, latest });
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
  quick.writableLength = 10;
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
  const { unsent, client } = fixture();
  const [steady, slow] = [client(10_000_000), client(10_000_000)];
  for (let now = 0; now < 10_000; now += 500) {
    unsent.check(now);
    steady.writableLength -= 65_536;
    slow.writableLength -= 1;
  }
  expect([steady.destroyed, slow.destroyed]).toEqual([false, true]);
});

const TENTH_OF_LIMIT = 2 ** 27 / 10;

test('when unread responses exceed the memory limit, only the connections that waited longest are destroyed', () => {
  const { unsent, client } = fixture();
  const clients = Array.from({ length: 4 }, (_, index) => {
    const one = index % 2 === 0 ? client(3 * TENTH_OF_LIMIT, 1) : client(1, 3 * TENTH_OF_LIMIT);
    unsent.check(index);
    return one;
  });
  expect(clients.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  unsent.check(10);
  expect(clients.filter(({ destroyed }) => destroyed)).toHaveLength(1);
  const [, closed, longest, growing] = clients as [Client, Client, Client, Client];
  unsent.connections.delete(closed);
  const last = client(6 * TENTH_OF_LIMIT);
  unsent.check(11);
  const ends = [closed, longest, growing, last].map(({ destroyed }) => destroyed);
  expect(ends).toEqual([false, true, false, false]);
  growing.writableLength = 9 * TENTH_OF_LIMIT;
  unsent.check(12);
  expect([growing.destroyed, last.destroyed]).toEqual([true, false]);
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
