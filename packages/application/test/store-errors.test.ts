import { expect, test } from '@jest/globals';
import { TooManyAttempts, Unavailable } from '../src/index.ts';

test('Unavailable has a name for logs and a reason for metrics, "other" by default', () => {
  expect(new Unavailable('away')).toMatchObject({ name: 'Unavailable', message: 'away', reason: 'other' });
  expect(new Unavailable('full', 'overload').reason).toBe('overload');
});

test('too many attempts have a message for the client', () => {
  expect(new TooManyAttempts(1).message).toBe('Too many sign-in attempts.');
});
