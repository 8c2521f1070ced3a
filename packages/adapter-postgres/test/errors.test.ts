import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { DomainError } from '@svc/domain';
import pg from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import {
  breaksConnection,
  ConcurrencyConflict,
  DatabaseError,
  isDriverError,
  isLockFailure,
  isUnprepared,
  losesConnection,
  reportsUnconfirmedCommit,
  translateError,
} from '../src/driver/errors.ts';

const serverError = (fields: Record<string, string>): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('', 0, 'error'), { severity: 'ERROR', ...fields });

const failure = (code: string, message = 'x') => Object.assign(new Error(message), { code });

const outcomeOf = (error: unknown): string => {
  const translated = translateError(error, 'claims_add');
  if (translated instanceof DomainError) return translated.code;
  return translated instanceof Unavailable ? translated.reason : (translated as Error).name;
};

test.each([
  [
    'database_busy',
    '08000 08006 53000 53200 53300 53400 57000 57014 57P01 57P03 58000 58030 58P01 55P03 25P03 25P04 25P05 25006 26000 42P05',
  ],
  ['ConcurrencyConflict', '40001 40P01'],
  [
    'DatabaseError',
    '22P02 23502 23503 23505 23514 25001 25P01 25P02 40000 40003 42501 42P01 55000 55006 55P02 XX000 0A000 P0001',
  ],
])('an error of the server is %s for the SQLSTATEs %s', (outcome, codes) => {
  const outcomes = codes.split(' ').map((code) => `${code} ${outcomeOf(serverError({ code }))}`);
  expect(outcomes).toEqual(codes.split(' ').map((code) => `${code} ${outcome}`));
});

test('of duplicates, those of contended keys are run again, and that of an address is the caller’s', () => {
  const outcomesOf = (...constraints: string[]) =>
    constraints.map((constraint) => outcomeOf(serverError({ code: '23505', constraint })));
  const primary = outcomesOf('idempotency_records_pkey', 'memberships_pkey', 'carriers_pkey');
  expect(primary).toEqual(Array(3).fill('ConcurrencyConflict'));
  const unique = outcomesOf('claims_external_id_key', 'adjusters_email_key');
  expect(unique).toEqual(['ConcurrencyConflict', 'email_taken']);
  const others = outcomesOf('adjusters_pkey', 'api_keys_pkey', 'claims_pkey');
  expect(others).toEqual(Array(3).fill('DatabaseError'));
  // Of another kind of error, they are no duplicates.
  expect(outcomeOf(serverError({ code: '23503', constraint: 'memberships_pkey' }))).toBe('DatabaseError');
  expect(translateError(serverError({ code: '23503', constraint: 'c', table: 't' }), 'claims_add')).toEqual(
    new DatabaseError('PostgreSQL rejected claims_add: 23503 (c on t).'),
  );
});

test('each error says what it means for its statement and its connection', () => {
  const questions = { breaksConnection, losesConnection, isUnprepared, isLockFailure, isDriverError };
  const answers = (error: unknown): string[] =>
    Object.entries(questions).flatMap(([name, ask]) => (ask(error) ? [name] : []));
  const [breaks, loses] = ['breaksConnection', 'losesConnection'];
  expect(answers(serverError({ code: '57P01', severity: 'FATAL' }))).toEqual([breaks, loses]);
  expect(answers(serverError({ code: 'XX000', severity: 'PANIC' }))).toEqual([breaks, loses]);
  expect(answers(serverError({ code: '57014' }))).toEqual([]);
  expect(answers(serverError({ code: '25006' }))).toEqual([breaks]);
  expect(answers(serverError({ code: '26000' }))).toEqual([breaks, 'isUnprepared']);
  expect(answers(serverError({ code: '42P05' }))).toEqual([breaks, 'isUnprepared']);
  expect(answers(serverError({ code: '55P03' }))).toEqual(['isLockFailure']);
  expect(answers(serverError({ code: '40P01' }))).toEqual(['isLockFailure']);
  expect(answers(serverError({ code: '40001' }))).toEqual([]);
  expect(answers(failure('ECONNRESET'))).toEqual([breaks, loses]);
  expect(answers(new Error('Query read timeout'))).toEqual([breaks, loses, 'isDriverError']);
  expect(answers(new TypeError('a defect'))).toEqual([]);
  expect(answers(new DomainError('not_found', 'No such claim.'))).toEqual([]);
  expect(answers(new QueryFailedError('SELECT 1', [], serverError({ code: '25006' })))).toEqual([breaks]);
  const routines = ['SyncRepWaitForLSN', 'FinishRemoteTransactionCommit', 'exec_simple_query', undefined];
  const unconfirmed = routines.filter((routine) => reportsUnconfirmedCommit({ routine }));
  expect(unconfirmed).toEqual(routines.slice(0, 2));
});

test('what may pass is unavailable for its reason, never an internal error', () => {
  const missing = { code: '3D000', severity: 'FATAL', message: 'database "c" does not exist' };
  const lostNode = { code: 'XX000', message: 'multiple connection failures', file: 'a.c', line: '7' };
  const errors = [
    new QueryRunnerAlreadyReleasedError(),
    new Error('Connection terminated unexpectedly'),
    failure('ECONNREFUSED'),
    failure('ENOTFOUND'),
    failure('CERT_HAS_EXPIRED', 'certificate has expired'),
    ...[missing, { code: '55P03' }, lostNode].map(serverError),
    ...['ERROR', 'FATAL', 'PANIC'].map((severity) => serverError({ code: '53100', severity })),
  ];
  const said = errors.map((error) => {
    const { reason, message } = translateError(error, 'add') as Unavailable;
    return `${reason}: ${message}`;
  });
  expect(said).toEqual([
    ...Array(2).fill('database_unreachable: PostgreSQL could not be reached (connection, add).'),
    'database_unreachable: PostgreSQL could not be reached (ECONNREFUSED, add).',
    'database_unreachable: PostgreSQL could not be reached: its host name is unknown (ENOTFOUND, add).',
    'database_unreachable: Could not connect to PostgreSQL: its certificate is not valid at this time (add).',
    'database_rejected: PostgreSQL rejected add: 3D000 (database "c" does not exist).',
    'database_busy: PostgreSQL is temporarily unable to run add (55P03).',
    'database_busy: PostgreSQL is temporarily unable to run add (XX000, a.c:7).',
    ...Array(3).fill('database_full: PostgreSQL could not run add: its disk is full (53100).'),
  ]);
  for (const own of [new Unavailable('x'), new DatabaseError('x'), new ConcurrencyConflict('x')])
    expect(translateError(own, 'add')).toBe(own);
});

test.each([
  { code: '23505', message: 'duplicate key value violates unique constraint "claims_external_id_key"' },
  {
    code: '23505',
    message: 'duplicate key value violates unique constraint "claims_external_id_key_102042"',
  },
  { code: '23502', table: 'idempotency_records', column: 'fingerprint' },
  { code: '23502', message: 'null value in column "fingerprint" of relation "idempotency_records_102040"' },
])('what a concurrent request wrote first is run again, also when Citus names a shard: %j', (fields) => {
  expect(translateError(serverError(fields), 'claims_add')).toBeInstanceOf(ConcurrencyConflict);
});

test.each([
  { message: 'failure on connection marked as essential: worker-1:5432' },
  { message: "failed to prepare transaction 'citus_0_1_2_3' on host worker-1:5432" },
  { message: 'postmaster was shut down, exiting' },
  { message: 'could not commit transaction for shard 102034 on at least one active node' },
  { message: 'SSL SYSCALL error: EOF detected', where: 'while executing command on worker-1:5432' },
  { message: '', where: 'while executing command on worker-1:5432' },
  ...['no connection', 'SSL error', 'EOF', 'server closed it', 'could not send', 'could not receive'].map(
    (message) => ({ message, where: 'while executing command on worker-1:5432' }),
  ),
  { message: 'multiple connection failures' },
  { message: 'could not connect to any active placements' },
  { message: 'terminating connection due to administrator command', routine: 'ReportCopyError' },
])('a node that Citus loses during a transaction is reported as unavailable: %j', (fields) => {
  expect(translateError(serverError({ code: 'XX000', ...fields }), 'commit')).toBeInstanceOf(Unavailable);
});

test.each([
  // Only internal errors are those of a lost node.
  { code: '22012', message: 'no connection', where: 'while executing command on worker-1:5432' },
  { code: 'XX000', message: 'no connection', where: 'in a function' },
  { code: '23505', message: 'unique constraint "claims_external_id_key_12345"' },
  { code: '23502', message: 'null value in column "fingerprints"' },
  { code: '23502', table: 'idempotency_records', column: 'claim_id' },
])('another error is an error: %j', (fields) => {
  expect(translateError(serverError(fields), 'commit')).toBeInstanceOf(DatabaseError);
});

test('other internal errors of PostgreSQL are reported with the line of its source, also those of a worker', () => {
  const fields = { message: 'cache lookup failed', where: 'while executing command on worker-1:5432' };
  const error = serverError({ code: 'XX000', file: 'lsyscache.c', line: '42', ...fields });
  expect(translateError(error, 'commit')).toEqual(
    new DatabaseError('PostgreSQL rejected commit: XX000 (lsyscache.c:42).'),
  );
});
