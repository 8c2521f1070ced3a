import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { translateError } from '../src/driver/errors.ts';

test.each([
  new QueryRunnerAlreadyReleasedError(),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Query read timeout'),
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
])('a lost connection is reported as unavailable, never as an internal error: %p', (error) => {
  expect(translateError(error, 'claims_find')).toBeInstanceOf(Unavailable);
});
