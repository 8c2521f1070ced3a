import { expect, test } from '@jest/globals';
import { requestIdAt, timeOfRequestId } from '../src/index.ts';

const RANDOM = '28578e99-9eb8-4bbc-a610-faae8a9443b8';

test('a request id is a UUID of version 7 with the time of the request, which one of another version lacks, and random bits', () => {
  const at = Date.UTC(2026, 7, 29, 15, 4, 11, 208);
  const id = requestIdAt(at, RANDOM);
  expect(id).toBe('01a04e0c-b6c8-7bbc-a610-faae8a9443b8');
  expect(timeOfRequestId(id)).toBe(at);
  expect(timeOfRequestId(requestIdAt(1, RANDOM))).toBe(1);
  expect(timeOfRequestId(RANDOM)).toBeNull();
});
