import { beforeEach, expect, test } from '@jest/globals';
import { type AuditChainId, type AuditEvent, auditEvent, BY_SERVICE, NO_METRICS } from '@svc/application';
import { type ClaimId, DAY, type FirmId, HOUR } from '@svc/domain';
import { singleServerStatements } from '../src/claims/single-server-statements.ts';
import { ConcurrencyConflict } from '../src/driver/errors.ts';
import type { OpenTransaction } from '../src/driver/executor.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import type { StatementsOn } from '../src/firm-statements.ts';
import { purge } from '../src/jobs/purge.ts';
import { withLargeValues } from '../src/reads/large-columns.ts';
import { pgAuditLog } from '../src/stores/pg-audit.ts';
import { pgUnitOfWork } from '../src/unit-of-work.ts';
import { aClaim, NOW, newId } from './a-firm.ts';

/** Every statement with its values, and the ends of transactions; and the rows of each statement, one list for each run. */
let sent: unknown[][];
let results: Record<string, unknown[][]>;
let failure: Error | null;
/** Of COMMIT, one for each transaction. */
let commitErrors: Error[];
let committed: unknown[];
beforeEach(() => {
  [sent, results, failure, commitErrors, committed] = [[], {}, null, [], []];
});

const rows = async <R>({ name }: { name: string }, values: readonly unknown[] = []): Promise<R[]> => {
  sent.push([name, ...values]);
  return (results[name]?.shift() ?? []) as R[];
};
const TRANSACTION: OpenTransaction = {
  ...{ rows, rowsAndCommit: rows, commitSeconds: 0.5 },
  send: ({ name }, values) => void sent.push([name, ...values]),
  orm: () => Promise.reject(new Error('not expected')),
  async commit() {
    sent.push(['COMMIT']);
    const error = commitErrors.shift();
    if (error !== undefined) throw error;
  },
  rollback: async () => void sent.push(['ROLLBACK']),
  get failure() {
    return failure;
  },
};
const database = {
  ...{ begin: async () => TRANSACTION, maintenance: { rows } },
  metrics: {
    ...NO_METRICS,
    transactionCommitted: (seconds: number, changed: readonly string[]) =>
      void committed.push([seconds, ...changed]),
  },
};
const statementsOn: StatementsOn = (executor) =>
  singleServerStatements(executor, { now: () => NOW }, NO_ENCRYPTION);
const { run } = pgUnitOfWork(database, statementsOn, NO_ENCRYPTION);

const START = '00000000-0000-0000-0000-00000000000';
const [ONE, OTHER] = [`${START}a`, `${START}b`] as [FirmId, FirmId];
const eventOf = (chain: AuditChainId): AuditEvent =>
  auditEvent(chain, BY_SERVICE, { at: NOW, action: 'claims.purge', object: null });
const names = () => sent.map(([name, first]) => (name === 'audit_append' ? `${name} ${first}` : name));

test('a unit of work commits what it did, with its events last and in the order of their firms', async () => {
  const claim = aClaim(ONE, newId(), { id: newId() });
  results.claims_save = [[{ updated_at: NOW + 1 }]];
  const result = await run(async (tx) => {
    await tx.audit.record(eventOf(OTHER));
    await tx.audit.record(eventOf(ONE));
    await tx.claims.save(claim);
    return 7;
  });
  expect(result).toBe(7);
  expect(names()).toEqual(['claims_save', `audit_append ${ONE}`, `audit_append ${OTHER}`, 'COMMIT']);
  expect(committed).toEqual([[0.5, 'pending_acceptance']]);
});

test('a unit of work that fails is rolled back, and run again after a conflict, five times at most', async () => {
  const conflict = new ConcurrencyConflict('x');
  const failed = new Error('a defect');
  let runs = 0;
  const work = async () => {
    runs += 1;
    throw failed;
  };
  await expect(run(work)).rejects.toBe(failed);
  expect([runs, sent.splice(0)]).toEqual([1, [['ROLLBACK']]]);
  // Whatever the work has made of it.
  failure = conflict;
  await expect(run(work)).rejects.toMatchObject({ reason: 'conflicts' });
  expect([runs, sent.splice(0)]).toEqual([6, Array(5).fill(['ROLLBACK'])]);
  failure = null;
  commitErrors = [conflict];
  expect(await run(async () => 'done')).toBe('done');
  expect(sent.splice(0)).toEqual([['COMMIT'], ['ROLLBACK'], ['COMMIT']]);
  commitErrors = [failed];
  await expect(run(async () => 'done')).rejects.toBe(failed);
  expect(committed).toEqual([[0.5]]);
});

test('events beside a request are appended to the trails that are free, then to each one that was locked', async () => {
  results.audit_lock_available_chains = [[{ firm_id: ONE }], [{ firm_id: ONE }], []];
  const reads = Array.from({ length: 57 }, () => eventOf(ONE));
  await pgAuditLog(database, statementsOn).append([...reads, eventOf(OTHER)]);
  const free = (chains: string) => ['audit_lock_available_chains', `{${chains}}`];
  expect(sent.map((one) => one.slice(0, 2))).toEqual([
    ...[['audit_without_flush'], free(`${ONE},${OTHER}`), ['audit_append_to_many', `{${ONE}}`], ['COMMIT']],
    ...[['audit_without_flush'], ['audit_append', OTHER], ['COMMIT']],
    ...[['audit_without_flush'], free(ONE), ['audit_append_to_many', `{${ONE}}`], ['COMMIT']],
    ...[
      ['audit_without_flush'],
      free(ONE),
      ['COMMIT'],
      ['audit_without_flush'],
      ['audit_append', ONE],
      ['COMMIT'],
    ],
  ]);
});

test('what has expired is deleted in batches, each kind at its own time, and closed claims with a record', async () => {
  const batch = (length: number) => Array<unknown>(length).fill({ removed: 0 });
  const [a, b, c] = ['a', 'b', 'c'].map((end) => ONE.replace(/.$/, end));
  const closed = [
    [ONE, a],
    [OTHER, b],
    [ONE, c],
  ].map(([firm_id, id]) => ({ firm_id, id }));
  results = {
    ...{ purge_sessions: [batch(5000), batch(5000), batch(1)], purge_imports: [batch(5000), batch(2)] },
    ...{ purge_idempotency_records: [batch(4)], purge_devices: [batch(5)], purge_jobs: [batch(6)] },
    ...{ purge_sign_in_codes: [batch(7)], purge_sign_in_tickets: [batch(8)], purge_request_log: [batch(9)] },
    ...{ purge_email_changes: [batch(11)], purge_used_passkey_challenges: [batch(12)] },
    purge_sign_in_attempts: [batch(13)],
    ...{ purge_webhook_deliveries: [batch(3)], purge_audit: [[{ removed: 9 }], [{ removed: 1 }], batch(1)] },
    purge_webhook_endpoints: [[ONE, OTHER].map((firm_id) => ({ firm_id, id: `of ${firm_id}` }))],
    purge_excess_webhook_deliveries: [batch(5000), batch(1), batch(2)],
    purge_closed_claims: [[...Array(200).fill(closed[1])], closed],
  };
  expect(await purge(database, statementsOn, NOW, 400 * DAY)).toEqual({
    ...{ idempotencyRecords: 4, sessions: 10_001, devices: 5, signInCodes: 7, signInTickets: 8 },
    ...{ emailChanges: 11, usedChallenges: 12, signInAttempts: 13, failedJobs: 6, imports: 5002 },
    ...{ requestLog: 9, audit: 10, webhookDeliveries: 3 + 5003, closedClaims: 203 },
  });
  const ages: Record<string, number> = {};
  for (const [name, first] of sent)
    if (/^purge_(?!audit|.*hook_e|excess|lock|offers)/.test(String(name)))
      ages[String(name)] = NOW - Date.parse(String(first));
  const now = [
    'sessions',
    'sign_in_codes',
    'sign_in_tickets',
    'email_changes',
    'used_passkey_challenges',
    'sign_in_attempts',
  ];
  expect(ages).toEqual({
    ...Object.fromEntries(now.map((name) => [`purge_${name}`, 0])),
    ...{
      purge_idempotency_records: 25 * HOUR,
      purge_devices: HOUR,
      purge_jobs: 30 * DAY,
      purge_imports: 90 * DAY,
    },
    ...{ purge_request_log: 14 * DAY, purge_webhook_deliveries: 14 * DAY, purge_closed_claims: 400 * DAY },
  });
  const callsOf = (wanted: string) => sent.flatMap(([name, ...values]) => (name === wanted ? [values] : []));
  expect(callsOf('purge_excess_webhook_deliveries')).toEqual([ONE, ONE, OTHER].map((id) => [id, `of ${id}`]));
  expect(callsOf('purge_offers_of_claims')[1]).toEqual([
    [ONE, OTHER, ONE],
    [a, b, c],
  ]);
  const records = callsOf('audit_append')
    .slice(1)
    .map(([chain, , text]) => [chain, JSON.parse(String(text)).claims]);
  expect(records).toEqual([
    [ONE, [a, c]],
    [OTHER, [b]],
  ]);
  const audits = callsOf('purge_audit');
  expect(audits).toHaveLength(3);
  const seven = new Date(NOW - 7 * 365 * DAY).toISOString().slice(0, 4);
  expect(audits[0]).toEqual([
    ['standard', 'claims_only', 'read_only'],
    Array(3).fill(expect.stringMatching(`^${seven}`)),
  ]);
  sent = [];
  results = { purge_audit: [batch(1)] };
  await purge(database, statementsOn, NOW, null);
  expect(callsOf('purge_closed_claims')).toEqual([]);
});

test('a page has its large values, and not what has been erased since it was read', async () => {
  const page = [
    { id: 'a', document: '{}', work_details: null },
    { id: 'b', document: '9000', work_details: '8192' },
    { id: 'c', document: '"enc:"', work_details: '9000' },
    { id: 'd', document: '9000', work_details: '9000' },
    { id: 'e', document: '{}', work_details: '9000' },
  ].map((row) => ({ ...row, id: row.id as ClaimId }));
  results.claims_large_document = [[{ id: 'b', value: 'long b' }]];
  results.claims_large_work_details = [
    [
      { id: 'c', value: 'work c' },
      { id: 'b', value: null },
    ],
  ];
  expect(await withLargeValues({ rows }, page, ({ id }) => `firm of ${id}` as FirmId)).toEqual([
    page[0],
    { id: 'b', document: 'long b', work_details: null },
    { ...page[2], work_details: 'work c' },
  ]);
  expect(sent).toEqual([
    ['claims_large_document', ['firm of b', 'firm of d'], ['b', 'd']],
    ['claims_large_work_details', ['firm of b', 'firm of c', 'firm of e'], ['b', 'c', 'e']],
  ]);
  sent = [];
  expect(await withLargeValues({ rows }, page.slice(0, 1), () => ONE)).toEqual(page.slice(0, 1));
  expect(sent).toEqual([]);
});
