import { expect, test } from '@jest/globals';
import { BatchedSocket } from '../src/driver/batched-socket.ts';

test('a write calls back with and without an encoding', async () => {
  const socket = new BatchedSocket().on('error', () => {});
  const written = [
    new Promise((resolve) => socket.write('a', resolve)),
    new Promise((resolve) => socket.write('b', undefined, resolve)),
    new Promise((resolve) => socket.write('c', 'utf8', resolve)),
  ];
  socket.destroy(new Error('closed'));
  expect(await Promise.all(written)).toHaveLength(3);
});
