import { expect, test } from '@jest/globals';
import { isolationMatrix } from '../../../tools/attack/isolation.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();

test('no operation of the contract reaches an id of a firm without its credential', async () => {
  const { requests, leaks } = await isolationMatrix(
    operatorOf(service.service.services),
    async (method, path, options) => {
      const headers = { 'Idempotency-Key': `matrix-${Math.random()}` };
      return service.call(method, path, { ...options, ...(method === 'POST' && { headers }) });
    },
  );
  expect(leaks).toEqual([]);
  expect(requests).toBeGreaterThan(1500);
});
