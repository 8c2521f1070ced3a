import { expect, test } from '@jest/globals';
import { Unavailable } from '../src/index.ts';

test('Unavailable has a name for logs and a reason for metrics, "other" by default', () => {
  expect(new Unavailable('away')).toMatchObject({ name: 'Unavailable', message: 'away', reason: 'other' });
  expect(new Unavailable('full', 'overload').reason).toBe('overload');
});
