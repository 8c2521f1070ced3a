import { expect, test } from '@jest/globals';
import { DAY } from '@svc/domain';
import { REQUEST_LOG_RETENTION_MS } from '../src/index.ts';

test('the request log is kept for 14 days', () => {
  expect(REQUEST_LOG_RETENTION_MS).toBe(14 * DAY);
});
