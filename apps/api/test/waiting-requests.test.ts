import { expect, test } from '@jest/globals';
import { createWaitingRequests } from '../src/http/limits/waiting-requests.ts';

const addAll = (
  requests: ReturnType<typeof createWaitingRequests>,
  connection: object,
  count: number,
): boolean => Array.from({ length: count }, () => requests.add(connection)).every(Boolean);

test('128 requests wait on one connection; the next one closes it', () => {
  const requests = createWaitingRequests();
  const connection = {};
  expect(addAll(requests, connection, 128)).toBe(true);
  expect(requests.add(connection)).toBe(false);
  requests.remove(connection);
  expect([requests.add(connection), requests.add(connection)]).toEqual([true, false]);
});

test('8,192 requests wait in all, and those of closed connections do not count', () => {
  const requests = createWaitingRequests();
  const connections = Array.from({ length: 64 }, () => ({}));
  for (const connection of connections) expect(addAll(requests, connection, 128)).toBe(true);
  expect(requests.add({})).toBe(false);
  const [closed] = connections as [object];
  requests.removeAll(closed);
  requests.removeAll(closed);
  requests.remove(closed);
  expect(addAll(requests, {}, 128)).toBe(true);
  expect(requests.add({})).toBe(false);
});
