import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { endpoints, routesOf } from '../src/index.ts';

test('a route has the path below the root, the status, and the first two names that each response has', () => {
  const { getHealth } = endpoints;
  const [a, b] = [z.string(), z.string().optional()];
  const routes = [z.object({ b, a, c: a, d: a }), z.object({ a }), z.object({ b }), null].map((schema) => ({
    ...({ ...getHealth, method: 'PUT', path: '/app/v1/it' } as const),
    success: { ...getHealth.success, status: 201, schema } as const,
  }));
  expect(routesOf('/app/', Object.fromEntries(routes.entries()))).toEqual({
    ...['PUT v1/it 201 a c', 'PUT v1/it 201 a', 'PUT v1/it 201', 'PUT v1/it 201'],
  });
});
