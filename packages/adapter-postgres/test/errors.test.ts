import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import pg from 'pg';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { ConcurrencyConflict, DatabaseError, translateError } from '../src/driver/errors.ts';

test.each([
  new QueryRunnerAlreadyReleasedError(),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  new Error('any text of the driver'),
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
  { table: 'idempotency_records', column: 'fingerprint' },
  {
    message:
      'null value in column "fingerprint" of relation "idempotency_records_102040" violates not-null constraint',
  },
])(
  'a key that a concurrent request bound is run again, also when Citus names it in the message: %j',
  (fields) => {
    const error = Object.assign(new pg.DatabaseError('', 0, 'error'), {
      code: '23502',
      severity: 'ERROR',
      ...fields,
    });
    expect(translateError(error, 'idempotency_bind')).toBeInstanceOf(ConcurrencyConflict);
  },
);

test('another null in the record of a key is an error', () => {
  const fields = { code: '23502', severity: 'ERROR', table: 'idempotency_records', column: 'claim_id' };
  const error = Object.assign(new pg.DatabaseError('', 0, 'error'), fields);
  expect(translateError(error, 'idempotency_bind')).toBeInstanceOf(DatabaseError);
});

test.each(['ERROR', 'FATAL', 'PANIC'])('a full disk is named as the reason, also as %s', (severity) => {
  const error = Object.assign(new pg.DatabaseError('could not extend file', 0, 'error'), {
    code: '53100',
    severity,
  });
  expect(translateError(error, 'claims_add')).toMatchObject({
    name: 'Unavailable',
    reason: 'database_full',
    message: 'PostgreSQL could not run claims_add: its disk is full (53100).',
  });
});

const internalError = (fields: { message: string; where?: string; routine?: string }) =>
  Object.assign(new pg.DatabaseError(fields.message, 0, 'error'), {
    code: 'XX000',
    severity: 'ERROR',
    ...fields,
  });

test.each([
  { message: 'failure on connection marked as essential: worker-1:5432' },
  { message: "failed to prepare transaction 'citus_0_1_2_3' on host worker-1:5432" },
  { message: 'postmaster was shut down, exiting' },
  { message: 'could not commit transaction for shard 102034 on at least one active node' },
  { message: 'SSL SYSCALL error: EOF detected', where: 'while executing command on worker-1:5432' },
  { message: '', where: 'while executing command on worker-1:5432' },
  { message: 'could not connect to any active placements' },
  { message: 'terminating connection due to administrator command', routine: 'ReportCopyError' },
])('a node that Citus loses during a transaction is reported as unavailable: %j', (fields) => {
  expect(translateError(internalError(fields), 'commit')).toBeInstanceOf(Unavailable);
});

test('other internal errors of PostgreSQL are reported with the line of its source, also those of a worker', () => {
  const fields = { message: 'cache lookup failed', where: 'while executing command on worker-1:5432' };
  const error = Object.assign(internalError(fields), {
    file: 'lsyscache.c',
    line: '42',
  });
  expect(translateError(error, 'commit')).toEqual(
    new DatabaseError('PostgreSQL rejected commit: XX000 (lsyscache.c:42).'),
  );
});
