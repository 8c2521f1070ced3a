import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditEvent, auditRow, BY_SERVICE, NO_METRICS } from '@svc/application';
import type { ClaimId, FirmId, KeyId, Svcid } from '@svc/domain';
import pg from 'pg';
import type { Reads, Statement, TxSession, Value } from '../src/driver/session.ts';
import type { Transaction } from '../src/driver/transaction.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { pgAppReads } from '../src/reads/pg-app-reads.ts';
import { pgCredentials } from '../src/reads/pg-credentials.ts';
import { pgFirmReads } from '../src/reads/pg-firm-reads.ts';
import { readOverdueOffers } from '../src/reads/pg-metric-sources.ts';
import { pgOperatorReads } from '../src/reads/pg-operator-reads.ts';
import { claimSenders } from '../src/stores/claim-senders.ts';
import { pgAdjusters } from '../src/stores/pg-adjusters.ts';
import { pgAuditLog, pgAuditTrail } from '../src/stores/pg-audit.ts';
import { pgCarriers } from '../src/stores/pg-carriers.ts';
import { pgClaims } from '../src/stores/pg-claims.ts';
import { pgIdempotency } from '../src/stores/pg-idempotency.ts';
import { pgMemberships } from '../src/stores/pg-memberships.ts';
import { pgNewClaims } from '../src/stores/pg-new-claims.ts';
import { pgOfferResponses } from '../src/stores/pg-offer-responses.ts';
import { aClaim, aMembership, NOW, newId } from './a-firm.ts';
import { type FreshDatabase, undistributedDatabase } from './fresh-database.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

const FIRMS = 20;
const CLAIMS_PER_FIRM = 1500;

let database: FreshDatabase;
let firmId: FirmId;
let svcId: Svcid;
let claimId: ClaimId;

beforeAll(async () => {
  database = await undistributedDatabase();
  const { sql } = database;
  await sql.query(`
    INSERT INTO firms SELECT gen_random_uuid(), 'F' || n, 'standard', NULL, NULL, NULL, now()
      FROM generate_series(1, ${FIRMS}) n;
    INSERT INTO firm_feeds SELECT id, 'epoch' FROM firms;
    INSERT INTO adjusters (svc_id) SELECT 'A' || n FROM generate_series(1, 5000) n;
    INSERT INTO adjuster_edits SELECT svc_id, 1 FROM adjusters;
    INSERT INTO adjusters (svc_id, test_firm_id, test_behavior) SELECT 'test_' || id, id, 'manual' FROM firms;
    INSERT INTO memberships (firm_id, svc_id, status, first_known_at, can_accept_claims, accepting_assignments)
      SELECT f.id, a.svc_id, 'active', now(), true, true FROM firms f, adjusters a
       WHERE a.test_firm_id = f.id OR (a.test_firm_id IS NULL AND hashtext(f.name || a.svc_id) % 60 = 0);
    INSERT INTO api_keys (id, firm_id, environment, purpose, secret_hash, created_at)
      SELECT 'k' || n, (SELECT id FROM firms ORDER BY id LIMIT 1), 'live', 'claims', 'h' || n, now()
        FROM generate_series(1, 20000) n;
    INSERT INTO sessions SELECT 't' || n, 'A1', now() FROM generate_series(1, 20000) n;
    INSERT INTO carriers (firm_id, name_key, name) SELECT id, 'c' || n, 'c' FROM firms, generate_series(1, 100) n;
    INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, document, status,
        adjuster_svc_id, offered_at, responded_at, created_at, updated_at, closed_at)
      SELECT f.id, gen_random_uuid(), CASE WHEN n % 50 = 0 THEN 'test' ELSE 'live' END, 'e' || n, 'n' || n, 'c1',
          '{"name":"c1"}', '{}', CASE WHEN n % 20 = 0 THEN 'pending_acceptance' ELSE 'accepted' END, 'A' || n % 5000,
          at, CASE WHEN n % 20 = 0 THEN NULL ELSE at END, at, at, CASE WHEN n % 3 = 1 THEN at END
        FROM firms f, generate_series(1, ${CLAIMS_PER_FIRM}) n, LATERAL (SELECT now() - n * interval '1 s') t (at);
    INSERT INTO idempotency_records SELECT firm_id, environment, external_id, 'f', id, updated_at FROM claims;
    SET plan_cache_mode = force_generic_plan;
  `);
  await sql.query('VACUUM ANALYZE');
  const { rows } = await sql.query(`SELECT firm_id, id FROM claims WHERE adjuster_svc_id = 'A1' LIMIT 1`);
  firmId = rows[0].firm_id;
  claimId = rows[0].id;
  svcId = 'A1' as Svcid;
});
afterAll(() => database.drop());

/**
 * Generic plans of the frequent statements, as prepared statements get them. A page must be read from one index in its
 * order: a plan that sorts or scans a whole table is fast here and slow with millions of rows.
 */
describe.each([
  ['with the statistics of thousands of claims', 1],
  ['with the statistics of three million claims', 3_000_000 / (FIRMS * CLAIMS_PER_FIRM)],
])('hot statements, %s', (_, times) => {
  const plans: { statement: Statement; nodes: Plan[] }[] = [];

  const explain = async ({ name, text }: Statement, values: readonly Value[]): Promise<void> => {
    const literal = (value: Value): string => {
      if (value === null) return 'NULL';
      if (typeof value === 'object')
        return pg.escapeLiteral(`{${value.map((item) => item ?? 'NULL').join(',')}}`);
      return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
    };
    await database.sql.query(`PREPARE ${name} AS ${text}`);
    const list = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    const { rows } = await database.sql.query(`EXPLAIN (FORMAT JSON) EXECUTE ${name}${list}`);
    await database.sql.query(`DEALLOCATE ${name}`);
    const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];
    plans.push({ statement: { name, text }, nodes: flat(rows[0]['QUERY PLAN'][0].Plan) });
  };

  /** Explains statements instead of running them; every result is empty. */
  const session: Reads = {
    onCitus: false,
    async rows(statement, values = []) {
      await explain(statement, values);
      return [];
    },
    eachRow: explain,
  };
  const sent: Promise<void>[] = [];
  const txSession: TxSession = {
    ...session,
    send: (statement, values) => {
      sent.push(explain(statement, values));
    },
    rowsAndCommit: session.rows,
    orm: () => Promise.reject(new Error('not a named statement')),
  };

  const explained = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    plans.length = 0;
    await work().catch(() => {}); // a store may throw on an empty result
    await Promise.all(sent.splice(0));
    return plans.flatMap(({ nodes }) => nodes);
  };
  const indexesOf = (nodes: Plan[]): string[] => nodes.flatMap((node) => node['Index Name'] ?? []);
  const typesOf = (nodes: Plan[]): string[] => nodes.map((node) => node['Node Type']);

  beforeAll(async () => {
    const { sql } = database;
    // Scales the statistics, on which alone the plans depend.
    await sql.query(
      `UPDATE pg_class SET reltuples = reltuples * $1
        WHERE relnamespace = 'public'::regnamespace AND reltuples > 0 AND relname NOT LIKE 'firm%'`,
      [times],
    );
    await sql.query('UPDATE pg_statistic SET stadistinct = stadistinct * sqrt($1) WHERE stadistinct > 1', [
      times,
    ]);
  });

  const after = { at: NOW, id: newId() };
  const page = { after, limit: 50 };
  const firm = pgFirmReads(session, NO_ENCRYPTION);

  test.each([
    ['live', {}, 'claims_feed'],
    ['live', { assignmentStatus: 'rejected' }, 'claims_feed_by_status'],
    ['test', {}, 'claims_test_feed'],
    ['test', { assignmentStatus: 'accepted' }, 'claims_test_feed_by_status'],
    ['live', { externalId: 'e1', assignmentStatus: 'accepted' }, 'claims_external_id_key'],
  ] as const)(
    'the feed of a %s key, filtered by %j, is read from %s in order',
    async (key, filter, index) => {
      const nodes = await explained(() => firm.claims(firmId, key, filter, page));
      expect(indexesOf(nodes)).toEqual([index]);
      expect(typesOf(nodes)).not.toContain('Sort');
    },
  );

  test('a page of adjusters is read from an index, which for a test key has only test accounts', async () => {
    const live = await explained(() => firm.adjusters(firmId, 'live', page));
    expect(indexesOf(live)).toContain('memberships_list');
    const test = await explained(() => firm.adjusters(firmId, 'test', page));
    expect(indexesOf(test)).toContain('adjusters_test_accounts');
  });

  const clock = { now: () => NOW };
  test.each([
    ['pending_acceptance', 'claims_of_adjuster'],
    ['accepted', 'claims_of_adjuster'],
    ['closed', 'claims_closed_of_adjuster'],
  ] as const)("an adjuster's list %s is read from %s", async (list, index) => {
    const nodes = await explained(() => pgAppReads(session, clock, NO_ENCRYPTION).claims(svcId, list, page));
    expect(indexesOf(nodes)).toContain(index);
  });

  const app = pgAppReads(session, clock, NO_ENCRYPTION);
  const credentials = pgCredentials(session, session);
  const audit = pgAuditTrail(txSession);
  const claims = pgClaims(txSession, clock, NO_ENCRYPTION, [], claimSenders(txSession), audit);
  const recorded = async (work: () => Promise<unknown>): Promise<unknown> => {
    await audit.record(auditEvent(firmId, BY_SERVICE, { at: NOW, action: 'claim.send', object: null }));
    return work();
  };
  const slot = { environment: 'live', key: 'k' } as const;
  const respond = async (): Promise<unknown> => {
    const row = { id: claimId, firm_id: firmId, status: 'accepted', adjuster_svc_id: svcId, carrier: '{}' };
    const other = {
      offered_at: NOW,
      responded_at: NOW,
      rejection_reason: null,
      work_details: null,
      held_name: null,
    };
    const transaction = {
      rowsAndCommit: session.rows,
      rollback: async () => {},
      async rows(statement: Statement, values: readonly Value[]) {
        await explain(statement, values);
        return [{ ...row, ...other }];
      },
    } as unknown as Transaction;
    const saved: string[] = [];
    const responses = pgOfferResponses(
      { begin: async () => transaction, metrics: NO_METRICS },
      clock,
      NO_ENCRYPTION,
      { save: async () => null },
    );
    await responses.save(svcId, claimId, ({ claim }) => {
      saved.push(claim.id);
      const event = auditEvent(firmId, BY_SERVICE, { at: NOW, action: 'claim.accept', object: null });
      return { assignment: claim.assignment, event };
    });
    expect(saved).toEqual([claimId]);
    return saved;
  };

  test('responses to offers find memberships by adjuster, and claims by id', async () => {
    const nodes = await withoutScans(respond);
    expect(indexesOf(nodes)).toContain('memberships_of_adjuster');
    expect(plans.map(({ statement }) => statement.name)).toEqual([
      'responses_lock_available',
      'responses_save',
    ]);
    expect(indexesOf(nodes).filter((index) => index === 'claims_pkey')).toHaveLength(2);
    expect(indexesOf(nodes).filter((index) => index.startsWith('claims_'))).toHaveLength(2);
  });

  /** As on the connections of the service: for the ten rows that are expected, a scan of few rows is cheaper. */
  const withoutScans = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    await database.sql.query('SET enable_seqscan = off');
    const nodes = await explained(work);
    await database.sql.query('RESET enable_seqscan');
    return nodes;
  };

  test('events of reads find the chains of many firms by index', async () => {
    const event = auditEvent(firmId, BY_SERVICE, { at: NOW, action: 'claim.read', object: null });
    const transaction = {
      ...txSession,
      commit: async () => {},
      rollback: async () => {},
      send(statement: Statement, values: readonly Value[]) {
        // No plan: it changes a setting.
        if (values.length > 0) txSession.send(statement, values);
      },
      async rows(statement: Statement, values: readonly Value[]) {
        await explain(statement, values);
        return [{ firm_id: firmId }];
      },
    } as unknown as Transaction;
    const nodes = await withoutScans(() =>
      pgAuditLog({ begin: async () => transaction }).append([auditRow(event)]),
    );
    expect(plans.map(({ statement }) => statement.name).sort()).toEqual([
      'audit_append_to_many',
      'audit_lock_available_chains',
    ]);
    expect(indexesOf(nodes)).toEqual(['firm_feeds_pkey', 'firm_feeds_pkey']);
  });

  const sendClaim = async (): Promise<unknown> => {
    const transaction = {
      ...txSession,
      send(statement: Statement, values: readonly Value[]) {
        // No plan: it sets a timeout.
        if (values.length > 0) txSession.send(statement, values);
      },
      rollback: async () => {},
      async rows(statement: Statement, values: readonly Value[]) {
        await explain(statement, values);
        return [{ firm_id: firmId, svc_id: svcId, fingerprint: null, duplicate_id: null }];
      },
    } as unknown as Transaction;
    const newClaims = pgNewClaims(
      { begin: async () => transaction, metrics: NO_METRICS },
      clock,
      NO_ENCRYPTION,
      { add: () => Promise.reject(new Error('not together')) },
    );
    const claim = aClaim(firmId, svcId);
    const { externalId, claimNumber } = claim;
    return newClaims.add(
      { slot: { firmId, ...slot }, fingerprint: 'f', adjuster: svcId, externalId, claimNumber, at: NOW },
      () => ({
        claim,
        jobs: [{ job: { kind: 'notify_offer', firmId, claimId: claim.id, svcId } }],
        event: auditEvent(firmId, BY_SERVICE, { at: NOW, action: 'claim.send', object: null }),
      }),
    );
  };

  test('claims that firms send find their members, keys, duplicates, adjusters and carriers by index', async () => {
    const nodes = await withoutScans(sendClaim);
    expect(plans.map(({ statement }) => statement.name).sort()).toEqual([
      'carriers_merge_many',
      'idempotency_bind_many',
      'new_claims_add',
      'new_claims_facts',
      'new_claims_lock_available',
      'outbox_add_many',
    ]);
    expect(indexesOf(nodes)).toEqual(
      expect.arrayContaining([
        'adjusters_pkey',
        'carriers_pkey',
        'claims_external_id_key',
        'claims_open_number',
        'idempotency_records_pkey',
        'memberships_of_adjuster',
      ]),
    );
    expect(typesOf(nodes)).not.toContain('Seq Scan');
  });

  test.each<[string, () => Promise<unknown>]>([
    ['firm_claim', () => firm.claim(firmId, 'live', claimId)],
    [
      'idempotency_find_claim',
      () => firm.boundClaim({ firmId, environment: 'live', key: 'key-1' }, Date.now()),
    ],
    [
      'firm_claims',
      () => Promise.all([claimId, newId()].map((id) => firm.claim(firmId, 'test', id as ClaimId))),
    ],
    ['firm_adjuster', () => firm.adjuster(firmId, svcId)],
    ['app_claim', () => app.claim(svcId, claimId)],
    ['app_memberships', () => app.memberships(svcId)],
    ['app_revisions', () => app.revisions(['A1', 'A2', 'A3'] as Svcid[])],
    ['app_invitations', () => app.invitations(svcId, NOW, page)],
    ['operator_claim', () => pgOperatorReads(session, NO_ENCRYPTION).claim(claimId)],
    ['key_by_hash', () => credentials.keyByHash('h')],
    ['session_by_hash', () => credentials.sessionByHash('t')],
    [
      'note_use',
      () => credentials.recordUse({ keys: new Map([['k' as KeyId, NOW]]), sessions: new Map([['t', NOW]]) }),
    ],
    [
      'find_duplicate',
      () => claims.findDuplicate({ firmId, environment: 'live', externalId: 'e', claimNumber: 'n' }),
    ],
    ['lock', () => claims.lock(firmId, claimId)],
    ['lock_offered_to', () => claims.lockOfferedTo(svcId, claimId)],
    ['lock_any', () => claims.lockAny(claimId)],
    ['lock_pending', () => claims.lockPendingOf(firmId, svcId)],
    ['add', () => claims.add(aClaim(firmId, svcId))],
    ['save', () => claims.save(aClaim(firmId, svcId))],
    ['add_with_audit', () => recorded(() => claims.add(aClaim(firmId, svcId)))],
    ['save_with_audit', () => recorded(() => claims.save(aClaim(firmId, svcId)))],
    ['save_without_timestamp', () => claims.saveWithoutTimestamp(aClaim(firmId, svcId))],
    ['idempotency_find', () => pgIdempotency(txSession).find({ firmId, ...slot }, NOW)],
    ['idempotency_bind', () => pgIdempotency(txSession).bind({ firmId, ...slot }, 'f', claimId, NOW)],
    ['merge_carrier', () => pgCarriers(txSession, NO_ENCRYPTION).merge(firmId, { name: 'c1' })],
    ['adjuster_find', () => pgAdjusters(txSession, NO_ENCRYPTION).find(svcId)],
    ['adjuster_by_email', () => pgAdjusters(txSession, NO_ENCRYPTION).findByEmail('a@b.example')],
    ['membership_lock', () => pgMemberships(txSession, NO_ENCRYPTION).lock(firmId, svcId)],
    ['membership_save', () => pgMemberships(txSession, NO_ENCRYPTION).save(aMembership(firmId, svcId))],
  ])('%s scans no whole table', async (_, work) => {
    const nodes = await explained(work);
    expect(plans.length).toBeGreaterThan(0);
    const scanned = nodes
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name']);
    // With few firms, a scan is cheaper than any index.
    expect(scanned.filter((table) => table !== 'firms' && table !== 'firm_feeds')).toEqual([]);
  });

  test('offers that wait too long are counted from the index of the feed by status', async () => {
    const nodes = await explained(() => readOverdueOffers(session));
    expect(indexesOf(nodes)).toContain('claims_feed_by_status');
    expect(typesOf(nodes)).not.toContain('Sort');
  });

  test('a duplicate is found by the indexes of both numbers, also on a shard', async () => {
    const onShard = { ...txSession, onCitus: true };
    const claims = pgClaims(onShard, clock, NO_ENCRYPTION, [], claimSenders(onShard), audit);
    const numbers = { externalId: 'e', claimNumber: 'n' };
    const nodes = await explained(() => claims.findDuplicate({ firmId, environment: 'live', ...numbers }));
    expect(indexesOf(nodes).sort()).toEqual(['claims_external_id_key', 'claims_open_number']);
  });
});
