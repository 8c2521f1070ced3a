import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import pg from 'pg';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { ConcurrencyConflict, DatabaseError, translateError } from '../src/driver/errors.ts';

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

test.each([
  { constraint: 'claims_external_id_key' },
  { message: 'duplicate key value violates unique constraint "claims_external_id_key"' },
  { message: 'duplicate key value violates unique constraint "claims_external_id_key_102042"' },
])('a concurrent duplicate is run again, also when Citus names the constraint of a shard: %j', (fields) => {
  const error = Object.assign(new pg.DatabaseError('', 0, 'error'), {
    code: '23505',
    severity: 'ERROR',
    ...fields,
  });
  expect(translateError(error, 'claims_add')).toBeInstanceOf(ConcurrencyConflict);
});

test.each([
  'failure on connection marked as essential: worker-1:5432',
  "failed to prepare transaction 'citus_0_1_2_3' on host worker-1:5432",
  'server closed the connection unexpectedly',
])('a worker that Citus loses during a transaction is reported as unavailable: %s', (message) => {
  const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), {
    code: 'XX000',
    severity: 'ERROR',
  });
  expect(translateError(error, 'commit')).toBeInstanceOf(Unavailable);
});

test('other internal errors of PostgreSQL are not reported as unavailable', () => {
  const error = Object.assign(new pg.DatabaseError('cache lookup failed', 0, 'error'), {
    code: 'XX000',
    severity: 'ERROR',
  });
  expect(translateError(error, 'commit')).toBeInstanceOf(DatabaseError);
});
