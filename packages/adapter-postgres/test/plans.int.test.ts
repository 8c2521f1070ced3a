import { beforeAll, describe, expect, test } from '@jest/globals';
import { auditEvent, type BoardScan, BY_SERVICE, NO_METRICS } from '@svc/application';
import type { AuditAction, Claim, ClaimId, FirmId, KeyId, Svcid } from '@svc/domain';
import pg from 'pg';
import { citusStatements } from '../src/citus/citus-statements.ts';
import { transactionOnCitus } from '../src/citus/database.ts';
import { groupedClaimWrites } from '../src/claims/claim-writes.ts';
import { singleServerStatements } from '../src/claims/single-server-statements.ts';
import type {
  Executor,
  OpenTransaction,
  Statement,
  TransactionExecutor,
  Value,
} from '../src/driver/executor.ts';
import { ONE_PLAN, SERVICE_SETTINGS } from '../src/driver/session-settings.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { withLargeValues } from '../src/reads/large-columns.ts';
import { pgAppReads } from '../src/reads/pg-app-reads.ts';
import { pgBoardReads } from '../src/reads/pg-board-reads.ts';
import { pgCredentials } from '../src/reads/pg-credentials.ts';
import { pgFirmReads } from '../src/reads/pg-firm-reads.ts';
import { pgJobReads } from '../src/reads/pg-job-reads.ts';
import { readOverdueOffers } from '../src/reads/pg-metric-sources.ts';
import { pgOperatorReads } from '../src/reads/pg-operator-reads.ts';
import { pgAdjusters } from '../src/stores/pg-adjusters.ts';
import { pgAuditLog } from '../src/stores/pg-audit.ts';
import { lockAndCountPending, pgClaims } from '../src/stores/pg-claims.ts';
import { pgMemberships } from '../src/stores/pg-memberships.ts';
import { pgWebhookQueue } from '../src/stores/pg-webhooks.ts';
import { aClaim, aMembership, NOW, newId } from './a-firm.ts';
import { type FreshDatabase, undistributedDatabase } from './fresh-database.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Plan[];
}

const FIRMS = 20;
const CLAIMS_PER_FIRM = 1500;

const FILL = `
  INSERT INTO firms (id, name, plan, created_at) SELECT gen_random_uuid(), 'F' || n, 'standard', now()
    FROM generate_series(1, ${FIRMS}) n;
  INSERT INTO firm_feeds (firm_id, last_stamp) SELECT id, 'epoch' FROM firms;
  INSERT INTO adjusters (svc_id) SELECT 'A' || n FROM generate_series(1, 5000) n;
  INSERT INTO adjuster_edits SELECT svc_id, 1 FROM adjusters;
  INSERT INTO adjusters (svc_id, test_firm_id, test_behavior) SELECT 'test_' || id, id, 'manual' FROM firms;
  INSERT INTO memberships (firm_id, svc_id, status, first_known_at, can_accept_claims, accepting_assignments)
    SELECT f.id, a.svc_id, 'active', now(), true, true FROM firms f, adjusters a
     WHERE a.test_firm_id = f.id OR (a.test_firm_id IS NULL AND hashtext(f.name || a.svc_id) % 60 = 0);
  INSERT INTO api_keys (id, firm_id, environment, purpose, secret_hash, created_at)
    SELECT 'k' || n, (SELECT id FROM firms ORDER BY id LIMIT 1), 'live', 'claims', 'h' || n, now()
      FROM generate_series(1, 20000) n;
  INSERT INTO sessions (token_hash, id, svc_id, created_at, last_used_at, expires_at, ends_at, method)
    SELECT 't' || n, gen_random_uuid(), 'A1', now(), now(), now(), now(), 'code' FROM generate_series(1, 20000) n;
  INSERT INTO carriers (firm_id, name_key, name) SELECT id, 'c' || n, 'c' FROM firms, generate_series(1, 100) n;
  INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, document, summary, status,
      adjuster_svc_id, offered_at, responded_at, created_at, updated_at, closed_at)
    SELECT f.id, gen_random_uuid(), CASE WHEN n % 50 = 0 THEN 'test' ELSE 'live' END, 'e' || n, 'n' || n, 'c1',
        '{"name":"c1"}', '{}', '{}', CASE WHEN n % 20 = 0 THEN 'pending_acceptance' ELSE 'accepted' END, 'A' || n % 5000,
        at, CASE WHEN n % 20 = 0 THEN NULL ELSE at END, at, at, CASE WHEN n % 3 = 1 THEN at END
      FROM firms f, generate_series(1, ${CLAIMS_PER_FIRM}) n, LATERAL (SELECT now() - n * interval '1 s') t (at);
  INSERT INTO idempotency_records SELECT firm_id, environment, external_id, 'f', id, updated_at FROM claims`;

function execute(name: string, values: readonly Value[]): string {
  const literal = (value: Value): string => {
    if (value === null) return 'NULL';
    if (typeof value === 'object')
      return pg.escapeLiteral(`{${value.map((item) => item ?? 'NULL').join(',')}}`);
    return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
  };
  return `EXECUTE ${name}${values.length === 0 ? '' : `(${values.map(literal).join(', ')})`}`;
}

/** Statistics change only where a world says so. */
const WITHOUT_AUTOVACUUM = `DO $$ DECLARE t regclass; BEGIN
  FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t);
  END LOOP; END $$`;

/** The statistics, on which alone the plans depend, of three million claims. */
const TIMES = 3_000_000 / (FIRMS * CLAIMS_PER_FIRM);
const SCALE = `
  UPDATE pg_class SET reltuples = reltuples * ${TIMES}
   WHERE relnamespace = 'public'::regnamespace AND reltuples > 0 AND relname NOT LIKE 'firm%';
  UPDATE pg_statistic SET stadistinct = stadistinct * sqrt(${TIMES}) WHERE stadistinct > 1`;

const ON_CONNECTIONS = Object.entries({ ...SERVICE_SETTINGS, ...ONE_PLAN })
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join(';');

/** Each group of plans changes the database of the one before it, unless it starts with a new one. */
let database: FreshDatabase;

let firmId = newId<FirmId>();
let claimId = newId<ClaimId>();
const svcId = 'A1' as Svcid;

/**
 * Generic plans of the frequent statements, as prepared statements get them. A page must be read from one index in its
 * order, and a row by all columns of its key: other plans are fast here and slow with millions of rows. A connection keeps
 * the plan that it made while the tables were empty, where every row is expected to be the only one.
 */
describe.each<[string, step: string, isNew?: 'new database']>([
  ['of empty tables that were never analyzed', WITHOUT_AUTOVACUUM, 'new database'],
  ['of tables that were never analyzed', FILL],
  ['with the statistics of thousands of claims', 'VACUUM ANALYZE'],
  ['with the statistics of three million claims', SCALE],
  ['of empty tables', `${WITHOUT_AUTOVACUUM}; ANALYZE`, 'new database'],
  ['of tables that were empty when they were analyzed', FILL],
])('hot statements, %s', (_, step, isNew) => {
  const plans: { statement: Statement; nodes: Plan[] }[] = [];
  const columnsOf = new Map<string, string[]>();

  beforeAll(async () => {
    if (isNew) database = await undistributedDatabase();
    const { sql } = database;
    await sql.query('RESET ALL');
    await sql.query(step);
    await sql.query(ON_CONNECTIONS);
    const { rows } = await sql.query(`SELECT firm_id, id FROM claims WHERE adjuster_svc_id = 'A1' LIMIT 1`);
    firmId = rows[0]?.firm_id ?? firmId;
    claimId = rows[0]?.id ?? claimId;
    const indexes = await sql.query(
      `SELECT indexrelid::regclass::text AS name, array_agg(attname::text ORDER BY attnum) AS columns
         FROM pg_index JOIN pg_attribute ON attrelid = indexrelid GROUP BY indexrelid`,
    );
    for (const { name, columns } of indexes.rows) columnsOf.set(name, columns);
  });

  /** The index of a scan with the columns that it searches, unless these are all of its columns. */
  const accessOf = (plan: Plan): string[] => {
    const name = plan['Index Name'];
    const columns = name === undefined ? undefined : columnsOf.get(name);
    if (columns === undefined) return [];
    // The other side of a condition has the name of its table.
    const searched = columns.filter((column) =>
      new RegExp(`(?<![.\\w])${column}\\b`).test(plan['Index Cond'] ?? ''),
    );
    return searched.length === columns.length ? [] : [`${name} by ${searched.join(', ')}`];
  };
  const listsOf = (nodes: Plan[]): string[] => nodes.flatMap(accessOf);

  const explain = async ({ name, text }: Statement, values: readonly Value[]): Promise<void> => {
    await database.sql.query(`PREPARE ${name} AS ${text}`);
    const { rows } = await database.sql.query(`EXPLAIN (FORMAT JSON) ${execute(name, values)}`);
    await database.sql.query(`DEALLOCATE ${name}`);
    const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];
    plans.push({ statement: { name, text }, nodes: flat(rows[0]['QUERY PLAN'][0].Plan) });
  };

  /** Explains statements instead of running them; every result is empty. */
  const executor: Executor = {
    async rows(statement, values = []) {
      await explain(statement, values);
      return [];
    },
  };
  const sent: Promise<void>[] = [];
  const txExecutor: TransactionExecutor = {
    ...executor,
    send: (statement, values) => {
      sent.push(explain(statement, values));
    },
    rowsAndCommit: executor.rows,
    orm: () => Promise.reject(new Error('not a named statement')),
  };
  const transactionWith = (found: object): OpenTransaction => ({
    ...txExecutor,
    send(statement, values) {
      // No plan: it changes a setting.
      if (values.length > 0) txExecutor.send(statement, values);
    },
    async rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
      await explain(statement, values);
      return [found] as R[];
    },
    commit: async () => {},
    rollback: async () => {},
    commitSeconds: 0,
    failure: null,
  });

  const explained = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    plans.length = 0;
    await work().catch(() => {}); // a store may throw on an empty result
    await Promise.all(sent.splice(0));
    return plans.flatMap(({ nodes }) => nodes);
  };
  const faultsOf = (nodes: Plan[]): Plan[] => nodes.filter((node) => node['Node Type'] === 'Seq Scan');

  const after = { at: NOW, id: newId() };
  const page = { after, limit: 50 };
  const clock = { now: () => NOW };
  const firm = pgFirmReads(executor, NO_ENCRYPTION);
  const app = pgAppReads({ reads: executor }, clock, NO_ENCRYPTION);
  const jobs = pgJobReads(executor, NO_ENCRYPTION);
  const board = pgBoardReads(executor, executor, NO_ENCRYPTION);
  const credentials = pgCredentials(executor, executor);
  const statementsOn = (on: TransactionExecutor) => singleServerStatements(on, clock, NO_ENCRYPTION);
  const claims = pgClaims(txExecutor, statementsOn(txExecutor), NO_ENCRYPTION, [], { ended: [], late: [] });
  const writing = (transaction: OpenTransaction) =>
    groupedClaimWrites({ begin: async () => transaction, metrics: NO_METRICS }, statementsOn, {
      maxTogether: 50,
    });
  const eventOf = (action: AuditAction) => auditEvent(firmId, BY_SERVICE, { at: NOW, action, object: null });

  /** In a group, and then alone, since the group saves nothing here. */
  const respond = (): Promise<unknown> => {
    const row = { id: claimId, firm_id: firmId, status: 'accepted', adjuster_svc_id: svcId, carrier: '{}' };
    const other = { offered_at: NOW, responded_at: NOW, rejection_reason: null, work_details: null };
    return writing(transactionWith({ ...row, ...other, book_name: null })).respond(
      svcId,
      claimId,
      ({ claim }) => ({ assignment: claim.assignment, jobs: [], event: eventOf('claim.accept') }),
    );
  };
  const requestOf = (claim: Claim) => {
    const { externalId, claimNumber } = claim;
    const slot = { firmId, environment: 'live', key: 'k' } as const;
    return { slot, fingerprint: 'f', adjuster: svcId, externalId, claimNumber, at: NOW };
  };
  const send = (): Promise<unknown> => {
    const ids = { firm_id: firmId, svc_id: svcId };
    const claim = aClaim(firmId, svcId);
    return writing(transactionWith({ ...ids, fingerprint: null, duplicate_id: null })).send(
      requestOf(claim),
      () => ({
        claim,
        jobs: [{ job: { kind: 'notify_offer', firmId, claimId: claim.id, svcId } }],
        event: eventOf('claim.send'),
      }),
    );
  };

  const EVERY_FIRM = 'firms_pkey by ';
  const OF_ADJUSTER = 'memberships_of_adjuster by svc_id';
  const WORK = 'claims_of_adjuster by firm_id, adjuster_svc_id, status';
  const CLOSED_WORK = 'claims_closed_of_adjuster by firm_id, adjuster_svc_id, status';
  const WAITING = 'claims_waiting by firm_id, environment, status';
  /** What reads or writes, and the lists that it reads: an index searched by its first columns alone. */
  type Hot = readonly [what: string, work: () => Promise<unknown>, lists?: readonly string[]];

  const ofAdjuster = { by: 'adjuster', adjuster: svcId, status: 'accepted', latestFirst: true } as const;
  const scans: readonly BoardScan[] = [
    { by: 'waiting', environment: 'live', status: 'rejected' },
    ...(['live', 'test'] as const).flatMap((environment) =>
      ([undefined, 'rejected'] as const).map((status) => ({ by: 'latest', environment, status }) as const),
    ),
    { ...ofAdjuster, closed: false },
    { ...ofAdjuster, closed: false, latestFirst: false },
    { ...ofAdjuster, closed: true },
  ];
  const PAGES: readonly Hot[] = [
    ...(
      [
        ['live', {}],
        ['live', { assignmentStatus: 'rejected' }],
        ['test', {}],
        ['test', { assignmentStatus: 'accepted' }],
        ['live', { externalId: 'e1' }],
      ] as const
    ).map(
      ([key, filter]): Hot => [
        `the feed of a ${key} key by ${JSON.stringify(filter)}`,
        () => firm.claims(firmId, key, filter, page),
      ],
    ),
    ['the adjusters of a live key', () => firm.adjusters(firmId, 'live', page)],
    ...scans.map(
      (scan): Hot => [`the board by ${JSON.stringify(scan)}`, () => board.claims(firmId, scan, after, 500)],
    ),
    ['claims of the board by the start of their ids', () => board.claimsByIdPrefix(firmId, 'live', 'e1', 50)],
  ];
  test.each(PAGES)(
    '%s: a page is read from one index in its order, and nothing beside it',
    async (_, work) => {
      const nodes = await explained(work);
      expect(listsOf(nodes)).toEqual([]);
      expect(faultsOf(nodes)).toEqual([]);
      expect(nodes.filter(({ 'Node Type': type }) => type === 'Sort')).toEqual([]);
      expect(
        nodes.flatMap((node) => (node['Relation Name'] === 'claims' ? (node.Filter ?? []) : [])),
      ).toEqual([]);
    },
  );

  const HOT: readonly Hot[] = [
    [
      'the adjusters of a test key',
      () => firm.adjusters(firmId, 'test', page),
      ['adjusters_test_accounts by test_firm_id'],
    ],
    ...(['pending_acceptance', 'accepted', 'closed'] as const).flatMap((list): Hot[] => [
      [`an adjuster's list ${list}`, () => app.claims(svcId, list, page, undefined), [OF_ADJUSTER]],
      [`what changed in ${list}`, () => app.claims(svcId, list, page, NOW), [OF_ADJUSTER]],
      [`the ids of ${list}`, () => app.claimIds(svcId, list), [OF_ADJUSTER]],
    ]),
    [
      'counts of the board',
      () => board.counts(firmId, 'live', { offeredUntil: 1, updatedUntil: 2 }),
      [WAITING, `${WAITING}, updated_at`],
    ],
    [
      'the work of an adjuster',
      () => board.work(firmId, [svcId]),
      [WORK, CLOSED_WORK, 'offers_ended_of_adjuster by firm_id, adjuster_svc_id'],
    ],
    [
      'the availability of adjusters, with the pending offers of those who limit them',
      () => {
        const limited = { svc_id: svcId, availability: '{"maxOpenOffers":1}' };
        return pgBoardReads(transactionWith(limited), executor, NO_ENCRYPTION).availability(firmId, [svcId]);
      },
      [OF_ADJUSTER, WORK],
    ],
    ['one claim', () => firm.claim(firmId, 'live', claimId)],
    [
      'claims of one turn',
      () => Promise.all([claimId, newId()].map((id) => firm.claim(firmId, 'test', id as ClaimId))),
    ],
    ['the claim of a key', () => firm.boundClaim({ firmId, environment: 'live', key: 'k' }, Date.now())],
    [
      'large columns',
      () =>
        withLargeValues(executor, [{ id: claimId, document: '9000', work_details: '9000' }], () => firmId),
    ],
    ['a claim of the board', () => board.claim(firmId, claimId)],
    ['members of the board', () => board.members(firmId, [svcId])],
    ['how long a firm waits', () => board.offerWaitHours(firmId)],
    ['an adjuster of a firm', () => firm.adjuster(firmId, svcId)],
    ['a claim in the app', () => app.claim(svcId, claimId), [OF_ADJUSTER]],
    ['memberships', () => app.memberships(svcId), [OF_ADJUSTER]],
    ['revisions', () => app.revisions(['A1', 'A2', 'A3'] as Svcid[]), [OF_ADJUSTER, WORK]],
    ['invitations', () => app.invitations(svcId, NOW, page), [OF_ADJUSTER]],
    [
      'a claim of any firm',
      () => pgOperatorReads({ reads: executor, orm: txExecutor.orm }, NO_ENCRYPTION).claim(claimId),
      [EVERY_FIRM],
    ],
    ['a key', () => credentials.keyByHash('h')],
    ['a session', () => credentials.sessionByHash('t')],
    ['the lock of a claim', () => claims.lock(firmId, claimId)],
    ['the lock of an offer', () => claims.lockOfferedTo(svcId, claimId), [OF_ADJUSTER]],
    ['the lock of any claim', () => claims.lockAny(claimId), [EVERY_FIRM]],
    ['locks of pending offers', () => claims.lockPendingOf(firmId, svcId), [WORK]],
    [
      'the number of pending offers',
      () => lockAndCountPending(txExecutor, NO_ENCRYPTION, svcId),
      [OF_ADJUSTER, WORK],
    ],
    ['the assignment of a job', () => jobs.assignment(firmId, claimId)],
    ['devices', () => jobs.devices(svcId, NOW), ['devices_pkey by svc_id']],
    ['a change of a claim', () => claims.save(aClaim(firmId, svcId))],
    ['a change without a timestamp', () => claims.saveWithoutTimestamp(aClaim(firmId, svcId))],
    ['an account', () => pgAdjusters(txExecutor, NO_ENCRYPTION).find(svcId)],
    ['an account by its address', () => pgAdjusters(txExecutor, NO_ENCRYPTION).findByEmail('a@b.example')],
    ['the lock of a membership', () => pgMemberships(txExecutor, NO_ENCRYPTION).lock(firmId, svcId)],
    ['a membership', () => pgMemberships(txExecutor, NO_ENCRYPTION).save(aMembership(firmId, svcId))],
    ['responses to offers', respond, [OF_ADJUSTER]],
    ['claims that firms send', send],
    [
      'events of reads',
      () =>
        pgAuditLog({ begin: async () => transactionWith({ firm_id: firmId }) }, statementsOn).append([
          eventOf('claim.read'),
        ]),
    ],
  ];
  test.each(HOT)('%s: rows are found by all columns of a key, but for lists', async (_, work, lists = []) => {
    const nodes = await explained(work);
    expect(nodes).not.toEqual([]);
    expect([...new Set(listsOf(nodes))]).toEqual(lists);
    expect(faultsOf(nodes)).toEqual([]);
  });

  test('for a signal, the first change that an endpoint missed is read from an index in order', async () => {
    const begin = () => Promise.reject(new Error('not needed'));
    const queue = pgWebhookQueue({ maintenance: executor, begin }, NO_ENCRYPTION);
    const nodes = await explained(() => queue.signalChanges(NOW));
    expect(nodes.filter((node) => node['Relation Name'] === 'claims')).toHaveLength(4);
    expect(nodes.filter(({ 'Node Type': type }) => type === 'Sort')).toEqual([]);
  });

  test.each(['adjuster', 'week', 'carrier'] as const)(
    'a report by %s reads the claims and offers of its time by index',
    async (by) => {
      const contactHours = [{ carrierKey: null, catCode: 'FL26-09', hours: 12 }];
      const CLOCKS = { contactHours, firmTimeZone: 'UTC', now: NOW };
      const filter = {
        environment: 'live',
        since: NOW,
        until: NOW + 1,
        by,
        weekStarts: [NOW],
        ...CLOCKS,
      } as const;
      expect(faultsOf(await explained(() => board.answers(firmId, filter)))).toEqual([]);
    },
  );

  // These are planned for their values, on tables as they are.
  if (step !== 'VACUUM ANALYZE' && step !== SCALE) return;

  test('uses of keys and sessions, overdue offers, and duplicates on a shard are found by index', async () => {
    const used = await explained(() =>
      credentials.recordUse({ keys: new Map([['k' as KeyId, NOW]]), sessions: new Map([['t', NOW]]) }),
    );
    expect([used.length > 0, listsOf(used)]).toEqual([true, []]);
    const overdue = await explained(() => readOverdueOffers(executor));
    expect(overdue.map((node) => node['Index Name'])).toContain('claims_feed_by_status');
    const statements = citusStatements(transactionOnCitus(transactionWith({})), clock, NO_ENCRYPTION);
    const found = await explained(() => statements.facts([requestOf(aClaim(firmId, svcId))]));
    expect([found.length > 0, listsOf(found), faultsOf(found)]).toEqual([true, [], []]);
  });
});
