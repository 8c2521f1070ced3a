import { beforeEach, expect, test } from '@jest/globals';
import type { ClaimFilter } from '@svc/application';
import {
  type ClaimId,
  type Environment,
  type FirmId,
  NO_CLOCKS,
  NO_NOTES,
  SHARES_NOTHING,
  type Svcid,
  stepTimesOf,
} from '@svc/domain';
import { singleServerStatements } from '../src/claims/single-server-statements.ts';
import { first, statementNamed, type TransactionExecutor } from '../src/driver/executor.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { fetchCount, positionValues } from '../src/reads/pages.ts';
import { pgAppReads } from '../src/reads/pg-app-reads.ts';
import { pgFirmReads } from '../src/reads/pg-firm-reads.ts';
import {
  readMaintenanceState,
  readOverdueOffers,
  readReplicationState,
  readWebhookEndpointCounts,
} from '../src/reads/pg-metric-sources.ts';
import { type ClaimRow, claimsFrom, type StepsRow, stepsFrom } from '../src/stores/claim-rows.ts';
import { type OfferedRow, offeredFrom } from '../src/stores/offered-rows.ts';
import { type AdjusterRow, adjustersFrom, pgAdjusters } from '../src/stores/pg-adjusters.ts';
import { type MembershipRow, membershipsFrom, pgMemberships } from '../src/stores/pg-memberships.ts';
import { aClaim, aMembership, NOW, newId } from './a-firm.ts';

let sent: [name: string, values: readonly unknown[]][];
/** By the name of its statement, for each run. */
let results: Record<string, object[][]>;
beforeEach(() => {
  [sent, results] = [[], {}];
});
const rows = async <R>({ name }: { name: string }, values: readonly unknown[] = []): Promise<R[]> => {
  sent.push([name, values]);
  return (results[name]?.shift() ?? []) as R[];
};
const executor: TransactionExecutor = {
  ...{ rows, rowsAndCommit: rows, orm: () => Promise.reject(new Error('not expected')) },
  send: ({ name }, values) => void sent.push([name, values]),
};

/** The row that the statement has written, with times as they are read. */
function written<Row>(name: string): Row {
  const text = statementNamed(name)?.text ?? '';
  const values = sent.find(([other]) => other === name)?.[1] ?? [];
  const listed = /\(([^()]*)\)\s+VALUES/
    .exec(text)?.[1]
    ?.split(',')
    .map((column, n) => [column.trim(), n] as const);
  const set = [...text.matchAll(/(\w+) = \$(\d+)/g)].map(
    ([, column = '', n]) => [column, Number(n) - 1] as const,
  );
  const read = (value: unknown, column: string) =>
    typeof value === 'string' && /_(at|until)$/.test(column) ? Date.parse(value) : value;
  const row = (listed ?? set).map(([column, n]) => [column, read(values[n], column)] as const);
  return Object.fromEntries(row) as Row;
}

const [FIRM, ANA] = [newId<FirmId>(), 'ANA' as Svcid];
const FLAGS = ['canAcceptClaims', 'acceptingAssignments', 'clocks', 'credentials', 'workArea'] as const;
test.each(FLAGS)('a membership is read as it was written: of its permissions %s alone', async (flag) => {
  const sharing = { ...SHARES_NOTHING, ...(flag in SHARES_NOTHING && { [flag]: true }) };
  const membership = aMembership(FIRM, ANA, {
    status: 'pending',
    ...{ invitedAt: NOW + 1, expiresAt: NOW + 2, respondedAt: NOW + 3, readableUntil: NOW + 4 },
    ...{ seenAt: NOW + 5, remindedAt: NOW + 6, sharing },
    notes: { invitedAs: 'as', invitedBy: 'by', purpose: 'purpose', note: 'note' },
    ...{ canAcceptClaims: false, acceptingAssignments: false, ...(flag in sharing ? {} : { [flag]: true }) },
  });
  for (const one of [membership, aMembership(FIRM, ANA, { notes: NO_NOTES })]) {
    sent = [];
    await pgMemberships(executor, NO_ENCRYPTION).save(one);
    expect(await membershipsFrom(NO_ENCRYPTION, [written<MembershipRow>('memberships_save')])).toEqual([one]);
  }
});

const CONTACTS = [
  { id: '1', at: NOW + 11, receivedAt: NOW + 12, result: 'reached' },
  { id: '2', at: NOW + 13, result: 'inspected' },
] as const;
const WORKED = aClaim(FIRM, ANA, {
  assignment: {
    status: 'rejected',
    ...{ adjuster: ANA, offeredAt: NOW + 1, respondedAt: NOW + 2, rejectionReason: 'far' },
    ...{ offeredBy: 'key:1', withdrawnBy: 'key:2' },
  },
  work: {
    contactDate: '2026-08-01',
    inspectionDate: '2026-08-02',
    notes: 'a note',
    details: { contacts: CONTACTS },
  },
  ...{
    workChangedAt: NOW + 3,
    closedAt: NOW + 4,
    closure: { by: 'key:3', reason: 'a reason' },
    updatedAt: NOW + 5,
  },
});
const savedRow = async (claim: typeof WORKED): Promise<ClaimRow & StepsRow> => {
  results.claims_save = [[{ updated_at: NOW + 5 }]];
  sent = [];
  const statements = singleServerStatements(executor, { now: () => NOW }, NO_ENCRYPTION);
  expect(await statements.saveOne(claim)).toBe(NOW + 5);
  const { id, environment, externalId, claimNumber, carrier, asSent, createdAt, updatedAt } = claim;
  return {
    ...written<ClaimRow & StepsRow>('claims_save'),
    ...{
      id,
      environment,
      external_id: externalId,
      claim_number: claimNumber,
      carrier: JSON.stringify(carrier),
    },
    ...{ document: asSent, created_at: createdAt, updated_at: updatedAt },
  };
};

test('a claim is read as it was written, with its steps, its access and its forms', async () => {
  const fresh = aClaim(FIRM, ANA, { environment: 'test', carrier: { name: 'B' }, createdAt: NOW - 1 });
  const claims = [WORKED, fresh];
  const saved = [await savedRow(WORKED), await savedRow(fresh)];
  expect(await claimsFrom(NO_ENCRYPTION, saved)).toEqual(claims);
  expect(saved.map(stepsFrom)).toEqual(claims.map(({ work }) => stepTimesOf(work)));
  const dated = { contactDate: '2026-08-01', inspectionDate: '2026-08-02', notes: null };
  expect(stepsFrom(await savedRow({ ...fresh, work: dated }))).toEqual(stepTimesOf(dated));
  const book = {
    book_key: 'b',
    book_name: 'B',
    book_phone: '1',
    book_email: 'e@x',
    book_address: '{"city":"C"}',
  };
  const none = { book_key: null, book_name: null, book_phone: null, book_email: null, book_address: null };
  const forms = { firm_name: 'Gulf', offer_wait_hours: 7, firm_clocks: JSON.stringify(NO_CLOCKS), ...book };
  const access = { member_status: 'left', can_accept_claims: false, readable_until: NOW } as const;
  const offered: OfferedRow[] = saved.map((row) => ({ ...row, ...access, ...forms }));
  offered.push(
    ...saved.map((row) => ({
      ...row,
      ...access,
      can_accept_claims: true,
      ...forms,
      ...none,
      firm_clocks: null,
    })),
  );
  offered.push(
    ...saved.map((row) => ({ ...row, ...access, ...forms, ...none, book_name: 'A', offer_wait_hours: null })),
  );
  const membership = { status: 'left', canAcceptClaims: false, readableUntil: NOW };
  const bookCarrier = { name: 'B', phone: '1', email: 'e@x', address: { city: 'C' } };
  const read = { firm: { id: FIRM, name: 'Gulf' }, offerWaitHours: 7, clocks: NO_CLOCKS, bookCarrier };
  expect(await offeredFrom(offered, NO_ENCRYPTION)).toEqual([
    ...claims.map((claim) => ({ claim, membership, forms: read })),
    ...claims.map((claim) => ({
      ...{ claim, membership: { ...membership, canAcceptClaims: true } },
      forms: { ...read, clocks: null, bookCarrier: null },
    })),
    ...claims.map((claim) => ({
      claim,
      membership,
      forms: { ...read, offerWaitHours: null, bookCarrier: { name: 'A' } },
    })),
  ]);
});

test('an account is read as it was written', async () => {
  const account = { svcId: ANA, firstName: 'Ana', lastName: 'Reyes', email: 'Ana@x.example' };
  const testOf = { firmId: FIRM, behavior: 'accepts' } as const;
  const adjusters = pgAdjusters(executor, NO_ENCRYPTION);
  results.adjusters_add = [[{ svc_id: ANA }], []];
  expect([
    await adjusters.add({ ...account, testOf }, 'h'),
    await adjusters.add({ ...account, testOf }, 'h'),
  ]).toEqual([...[true, false]]);
  const added = written<AdjusterRow & { email_key: string; sign_in_secret_hash: string }>('adjusters_add');
  expect([added.email_key, added.sign_in_secret_hash]).toEqual(['ana@x.example', 'h']);
  const own = {
    disabled_at: NOW,
    availability: '{"maxOpenOffers":3}',
    email_confirmed: true,
    credentials: '{"licenses":[]}',
  };
  expect(
    await adjustersFrom(NO_ENCRYPTION, [
      { ...added, ...own },
      { ...added, disabled_at: null, test_firm_id: null },
    ]),
  ).toEqual([
    {
      ...{ ...account, testOf, disabledAt: NOW, emailConfirmed: true },
      ...{ availability: { maxOpenOffers: 3 }, credentials: { licenses: [] } },
    },
    { ...account, testOf: null },
  ]);
  await adjusters.saveProfile({ ...account, email: null, testOf: null, emailConfirmed: true });
  expect(written('adjusters_save_profile')).toMatchObject({
    email: null,
    email_key: null,
    email_confirmed: true,
  });
  expect(sent.at(-1)).toEqual(['adjuster_edits_count', [ANA]]);
});

test('a list starts after its position, or at the time that is asked for if that is later', async () => {
  const reads = pgFirmReads(executor, NO_ENCRYPTION);
  const [id, last] = [newId<string>(), 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const at = (ms: number) => new Date(ms).toISOString();
  const startOf = async (updatedSince: number | undefined, after: { at: number; id: string } | null) => {
    sent = [];
    await reads.claims(FIRM, 'live', { updatedSince }, { after, limit: 5 });
    return sent[0]?.[1].slice(1);
  };
  expect(await startOf(undefined, null)).toEqual(['-infinity', '00000000-0000-0000-0000-000000000000', 6]);
  expect(await startOf(undefined, { at: 7, id })).toEqual([at(7), id, 6]);
  expect(await startOf(100, null)).toEqual([at(99), last, 6]);
  expect(await startOf(100, { at: 100, id })).toEqual([at(100), id, 6]);
  expect(await startOf(100, { at: 99, id })).toEqual([at(99), last, 6]);
  expect([
    positionValues(null),
    positionValues({ at: 7, id: 'ANA' }),
    fetchCount({ after: null, limit: 9 }),
  ]).toEqual([...[['-infinity', ''], [at(7), 'ANA'], 10]]);
  const asked = async (environment: Environment, filter: ClaimFilter) => {
    sent = [];
    await reads.claims(FIRM, environment, filter, { after: null, limit: 5 });
    return [sent[0]?.[0], ...(sent[0]?.[1].slice(3) ?? [])];
  };
  const pending = { assignmentStatus: 'pending_acceptance' } as const;
  expect([await asked('live', {}), await asked('test', pending)]).toEqual([
    ['firm_feed_live', 6],
    ['firm_feed_by_status_test', 6, 'pending_acceptance'],
  ]);
  expect(await asked('test', { externalId: 'x' })).toEqual([expect.any(String), 'test', 'x', null]);
  expect((await asked('test', { externalId: 'x', ...pending })).at(-1)).toBe('pending_acceptance');
});

test('all ids of a list are read in pieces, and whoever has no list and no edits has a revision', async () => {
  const reads = pgAppReads({ reads: executor }, { now: () => NOW }, NO_ENCRYPTION);
  const piece = Array.from({ length: 2000 }, (_, n) => ({ id: `${n}` as ClaimId, at: n }));
  results.app_claim_ids_accepted = [piece, [...piece.slice(0, 1), { id: 'last' as ClaimId, at: 1 }]];
  let pieces = 0;
  const ids = await reads.claimIds(ANA, 'accepted', async () => {
    pieces += 1;
    return true;
  });
  expect([ids.length, ids.at(-1), pieces]).toEqual([2001, 'last', 1]);
  const start = ['-infinity', new Date(NOW).toISOString(), '00000000-0000-0000-0000-000000000000', 2000];
  const next = [new Date(1999).toISOString(), new Date(NOW).toISOString(), '1999', 2000];
  expect(sent.map(([, [, ...values]]) => values)).toEqual([start, next]);
  const [, bo, cy] = [ANA, 'BO', 'CY'] as [Svcid, Svcid, Svcid];
  results.app_revisions = [
    [
      { svcId: ANA, revision: 'a' },
      { svcId: bo, revision: 'b' },
    ],
  ];
  results.app_edits = [[{ svcId: bo, edits: '3' }]];
  expect([...(await reads.revisions([ANA, bo, cy]))]).toEqual([
    [ANA, '0 a'],
    [bo, '3 b'],
    [cy, '0 '],
  ]);
});

test('metrics of the database say nothing that its role may not see', async () => {
  const replication = { standbys: 3, visible: 3, synchronous: 2, max_lag_seconds: null, required: 1 };
  results.metrics_replication = [[replication], [{ ...replication, visible: 2 }], []];
  const read = { standbys: 3, synchronousStandbys: 2, requiredSynchronousStandbys: 1, maxLagSeconds: null };
  expect([await readReplicationState(executor), await readReplicationState(executor)]).toEqual([read, null]);
  expect(await readReplicationState(executor)).toBeNull();
  const ages = { transaction_id_age: 8, multixact_id_age: 9 };
  const archives = [
    [true, true, true],
    [true, false, false],
    [false, false, true],
  ] as const;
  results.metrics_maintenance = archives.map(([has, failing, sees]) => [
    { archives: has, failing, sees_waiting: sees, ...ages },
  ]);
  results.metrics_waiting_segments = [[{ waiting: 4 }]];
  const states = [
    await readMaintenanceState(executor),
    await readMaintenanceState(executor),
    await readMaintenanceState(executor),
  ];
  expect(states).toEqual(
    [{ isFailing: true, waitingSegments: 4 }, { isFailing: false, waitingSegments: null }, null].map(
      (archive) => ({
        ...{ archive, transactionIdAge: 8, multixactIdAge: 9 },
      }),
    ),
  );
  expect(sent.filter(([name]) => name === 'metrics_waiting_segments')).toHaveLength(1);
  expect(await readOverdueOffers(executor)).toBe(0);
  expect(await readWebhookEndpointCounts(executor)).toEqual({ active: 0, failing: 0, paused: 0 });
  expect(first([])).toBeNull();
});
