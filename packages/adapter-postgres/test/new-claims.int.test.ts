import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  auditEntriesFrom,
  auditEvent,
  BY_SERVICE,
  claimObject,
  type DecideNewClaim,
  NO_METRICS,
  verifyAuditChain,
} from '@svc/application';
import {
  ALWAYS_AVAILABLE,
  type CarrierDetails,
  type Claim,
  type ClaimAsSent,
  DomainError,
  type FirmId,
  type Svcid,
} from '@svc/domain';
import { connect, type PostgresStores } from '../src/index.ts';
import { aClaim, aFirm, NOW } from './a-firm.ts';
import { type FreshDatabase, undistributedDatabase } from './fresh-database.ts';

/** The same with settings per transaction and no prepared statements, as behind a pooler. */
describe.each([{ pooler: false }, { pooler: true }])('with %j,', ({ pooler }) => {
  let database: FreshDatabase;
  let stores: PostgresStores;
  /** The number of claims of each transaction. */
  const committed: number[] = [];
  beforeAll(async () => {
    database = await undistributedDatabase();
    const metrics = {
      ...NO_METRICS,
      transactionCommitted: (_seconds: number, changed: readonly string[]) => committed.push(changed.length),
    };
    stores = await connect({ url: database.url, poolMax: 8, pooler, clock: { now: () => NOW }, metrics });
  });
  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  interface TestFirm {
    readonly firmId: FirmId;
    readonly svcId: Svcid;
  }
  let firm: TestFirm;
  beforeEach(async () => {
    firm = await aFirm(stores);
    committed.length = 0;
  });

  const claimOf = ({ firmId, svcId }: TestFirm, changes: Partial<Claim> = {}) =>
    aClaim(firmId, svcId, changes);
  const saving =
    (claim: Claim): DecideNewClaim =>
    ({ duplicate }) => {
      if (duplicate !== null) throw new DomainError('duplicate_claim', duplicate.by, duplicate.id);
      const { firmId, id: claimId } = claim;
      return {
        claim,
        jobs: [{ job: { kind: 'notify_offer', firmId, claimId, svcId: claim.assignment.adjuster } }],
        event: auditEvent(firmId, BY_SERVICE, {
          at: NOW,
          action: 'claim.send',
          object: claimObject(claimId),
        }),
      };
    };
  const send = (claim: Claim, { key = claim.id as string, fingerprint = 'f', decide = saving(claim) } = {}) =>
    stores.newClaims.add(
      {
        slot: { firmId: claim.firmId, environment: claim.environment, key },
        fingerprint,
        adjuster: claim.assignment.adjuster,
        externalId: claim.externalId,
        claimNumber: claim.claimNumber,
        at: NOW,
      },
      decide,
    );
  const storedOf = ({ firmId }: TestFirm) =>
    stores.firmReads
      .claims(firmId, 'live', {}, { after: null, limit: 100 })
      .then(({ rows }) => rows.map(({ id }) => id));
  const boundOf = async ({ firmId }: TestFirm): Promise<unknown[]> => {
    const { rows } = await database.sql.query(
      'SELECT key, claim_id FROM idempotency_records WHERE firm_id = $1 ORDER BY key',
      [firmId],
    );
    return rows.map((row) => [row.key, row.claim_id]);
  };
  const jobsOf = async ({ firmId }: TestFirm): Promise<unknown[]> => {
    const { rows } = await database.sql.query(
      `SELECT payload->>'claimId' AS id FROM jobs WHERE firm_id = $1`,
      [firmId],
    );
    return rows.map(({ id }) => id).sort();
  };
  const sentEventsOf = async ({ firmId }: TestFirm): Promise<(string | null)[]> => {
    const rows = await stores.auditReads.rows(firmId, { after: 0, limit: 1000 });
    return rows.flatMap(({ text }) => auditEntriesFrom(text)).map(({ object }) => object);
  };
  const idsOf = (claims: readonly Claim[]): string[] => claims.map(({ id }) => id);
  const sha256 = (text: string, encoding: 'utf8' | 'hex' = 'utf8'): string =>
    createHash('sha256').update(Buffer.from(text, encoding)).digest('hex');

  test('concurrent claims share one transaction; each has a separate timestamp, key, job and event', async () => {
    const firms = [firm, await aFirm(stores), await aFirm(stores)];
    committed.length = 0;
    const claims = firms.flatMap((of) => Array.from({ length: 5 }, () => claimOf(of)));
    const saved = await Promise.all(claims.map((claim) => send(claim)));
    expect(committed).toEqual([15]);
    for (const of of firms) {
      const own = claims.filter(({ firmId }) => firmId === of.firmId);
      const page = await stores.firmReads.claims(of.firmId, 'live', {}, { after: null, limit: 50 });
      // One after the other, in the order in which they arrived.
      expect(page.rows.map(({ id }) => id)).toEqual(idsOf(own));
      const times = page.rows.map(({ updatedAt }) => updatedAt);
      expect(times).toEqual(times.map((_, n) => (times[0] ?? 0) + n));
      expect(page.rows.map(({ createdAt }) => createdAt)).toEqual(times);
      const expected = own.map((claim, n) => ({ ...claim, createdAt: times[n], updatedAt: times[n] }));
      expect(saved.filter((claim) => 'firmId' in claim && claim.firmId === of.firmId)).toEqual(expected);
      expect(await boundOf(of)).toEqual(
        idsOf(own)
          .sort()
          .map((id) => [id, id]),
      );
      expect(await jobsOf(of)).toEqual(idsOf(own).sort());
      expect(await sentEventsOf(of)).toEqual(own.map(({ id }) => claimObject(id)));
      const verified = await verifyAuditChain({ reads: stores.auditReads, sha256 }, of.firmId);
      expect(verified).toMatchObject({ intact: true, rows: 1 });
    }
  });

  test("the firm's next change gets a later timestamp than all concurrent claims", async () => {
    const claims = Array.from({ length: 4 }, () => claimOf(firm));
    await Promise.all(claims.map((claim) => send(claim)));
    const later = await stores.unitOfWork.run((tx) => tx.claims.add(claimOf(firm)));
    expect(await storedOf(firm)).toEqual([...idsOf(claims), later.id]);
  });

  test('of two concurrent requests with one key, the second is a replay, or rejected as a different request', async () => {
    const [claim, again] = [claimOf(firm), claimOf(firm)];
    const ends = await Promise.allSettled([
      send(claim, { key: 'k' }),
      send(again, { key: 'k' }),
      send(claimOf(firm), { key: 'k', fingerprint: 'other' }),
    ]);
    expect(ends).toMatchObject([
      { value: { id: claim.id } },
      { value: { claimId: claim.id, replayed: true } },
      { reason: { code: 'idempotency_key_reused' } },
    ]);
    expect(await storedOf(firm)).toEqual([claim.id]);
    expect(await boundOf(firm)).toEqual([['k', claim.id]]);
  });

  test.each(['externalId', 'claimNumber'] as const)(
    'with one %s see each other: the second is a duplicate of the first',
    async (number) => {
      const claim = claimOf(firm);
      const other = claimOf(firm, { [number]: claim[number] });
      const ends = await Promise.allSettled([send(claim), send(other)]);
      expect(ends).toMatchObject([
        { value: { id: claim.id } },
        { reason: { code: 'duplicate_claim', existingClaimId: claim.id } },
      ]);
      expect(await boundOf(firm)).toEqual([[claim.id, claim.id]]);
    },
  );

  test('a claim takes over a key that was used a day ago', async () => {
    const [claim, next] = [claimOf(firm), claimOf(firm)];
    await send(claim, { key: 'k' });
    await database.sql.query('UPDATE idempotency_records SET bound_at = $2 WHERE firm_id = $1', [
      firm.firmId,
      new Date(NOW - 86_400_000),
    ]);
    expect(await send(next, { key: 'k' })).toMatchObject({ id: next.id });
    expect(await boundOf(firm)).toEqual([['k', next.id]]);
  });

  test('a claim that a rule or the database rejects does not affect the others', async () => {
    const [first, second, third] = [claimOf(firm), claimOf(firm), claimOf(firm)];
    const rejected: DecideNewClaim = () => {
      throw new DomainError('adjuster_not_accepting', 'By a rule.');
    };
    // A response without a time violates a constraint.
    const invalid = { ...second, assignment: { ...second.assignment, status: 'accepted' as const } };
    const ends = await Promise.allSettled([send(first, { decide: rejected }), send(invalid), send(third)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(ends[0]).toMatchObject({ reason: { code: 'adjuster_not_accepting' } });
    expect(await storedOf(firm)).toEqual([third.id]);
    expect(await boundOf(firm)).toEqual([[third.id, third.id]]);
    expect(await jobsOf(firm)).toEqual([third.id]);
    expect(await sentEventsOf(firm)).toEqual([claimObject(third.id)]);
  });

  test('a claim does not wait for the membership of another adjuster; one whose membership changes is decided afterwards', async () => {
    const other = await aFirm(stores);
    const [free, locked] = [claimOf(firm), claimOf(other)];
    const done: string[] = [];
    await database.sql.query('BEGIN');
    await database.sql.query('UPDATE memberships SET can_accept_claims = false WHERE firm_id = $1', [
      other.firmId,
    ]);
    const seen: (boolean | undefined)[] = [];
    const both = [
      send(locked, {
        decide(facts) {
          seen.push(facts.membership?.canAcceptClaims);
          return saving(locked)(facts);
        },
      }),
      send(free),
    ].map((sent, n) => sent.then(() => done.push(n === 0 ? 'locked' : 'free')));
    await both[1];
    expect(done).toEqual(['free']);
    await database.sql.query('COMMIT');
    await Promise.all(both);
    expect(seen).toEqual([false]);
  });

  test('claims of other firms do not wait for a change feed that stays locked', async () => {
    const other = await aFirm(stores);
    const [free, locked] = [claimOf(firm), claimOf(other)];
    await database.sql.query('BEGIN');
    await database.sql.query('SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR UPDATE', [other.firmId]);
    const both = [send(locked), send(free)];
    expect(await both[1]).toMatchObject({ id: free.id });
    expect(await storedOf(other)).toEqual([]);
    await database.sql.query('COMMIT');
    expect(await both[0]).toMatchObject({ id: locked.id });
    expect(await boundOf(other)).toEqual([[locked.id, locked.id]]);
  });

  test('a claim whose key another process binds first is a replay of that one', async () => {
    const [claim, free] = [claimOf(firm), claimOf(firm)];
    const earlier = await stores.unitOfWork.run((tx) => tx.claims.add(claimOf(firm)));
    await database.sql.query('BEGIN');
    await database.sql.query(`INSERT INTO idempotency_records VALUES ($1, 'live', 'k', 'f', $2, $3)`, [
      firm.firmId,
      earlier.id,
      new Date(NOW),
    ]);
    const both = [send(claim, { key: 'k' }), send(free)];
    // Until the insert of the key waits.
    for (let waits = false; !waits; ) {
      const { rows } = await database.sql.query(
        'SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted) AS waits',
      );
      waits = rows[0].waits;
    }
    await database.sql.query('COMMIT');
    expect(await Promise.all(both)).toMatchObject([{ claimId: earlier.id, replayed: true }, { id: free.id }]);
    expect(await storedOf(firm)).toEqual([earlier.id, free.id]);
  });

  test('concurrent claims fill in the carrier book; the first value of a detail stays', async () => {
    const carriers: CarrierDetails[] = [
      { name: 'Gulf Mutual' },
      { name: 'gulf mutual', phone: '+1 555 0100' },
      { name: 'Gulf Mutual', phone: '+1 555 0199', email: 'claims@gulf.example' },
    ];
    await Promise.all(carriers.map((carrier) => send(claimOf(firm, { carrier }))));
    const more: CarrierDetails = { name: 'Gulf Mutual', email: 'other@gulf.example', phone: '+1 555 0111' };
    await Promise.all([send(claimOf(firm, { carrier: more })), send(claimOf(firm))]);
    expect(committed).toEqual([3, 2]);
    const { rows } = await database.sql.query(
      'SELECT name, phone, email, address FROM carriers WHERE firm_id = $1 ORDER BY name',
      [firm.firmId],
    );
    expect(rows).toEqual([
      { name: 'Gulf Mutual', phone: '+1 555 0100', email: 'claims@gulf.example', address: null },
      { name: 'Tidewater Indemnity', phone: null, email: null, address: null },
    ]);
  });

  test('a claim is stored exactly as sent', async () => {
    const asSent = JSON.stringify({ text: 'a"b\\n{},\t\u007f', n: 1.5 }) as ClaimAsSent;
    const texts = { externalId: 'ext "{},\\', claimNumber: 'NULL', asSent };
    const carrier = { name: 'O\'Neil, "Sons" {1}', address: { city: 'Bay "St" \\ Louis' } } as CarrierDetails;
    const claims = [claimOf(firm, { ...texts, carrier }), claimOf(firm)];
    await Promise.all(claims.map((claim) => send(claim, { key: `"${claim.externalId}", \\ NULL` })));
    const { rows } = await database.sql.query(
      'SELECT external_id, claim_number, carrier::text, document::text FROM claims WHERE firm_id = $1 ORDER BY updated_at',
      [firm.firmId],
    );
    expect(rows).toEqual(
      claims.map((claim) => ({
        external_id: claim.externalId,
        claim_number: claim.claimNumber,
        carrier: JSON.stringify(claim.carrier),
        document: claim.asSent,
      })),
    );
  });

  test('a claim to an adjuster with a limit of offers, and a long one, has a separate transaction', async () => {
    const limited = await aFirm(stores);
    const availability = { ...ALWAYS_AVAILABLE, maxOpenOffers: 5 };
    await stores.unitOfWork.run((tx) => tx.adjusters.saveAvailability(limited.svcId, availability));
    committed.length = 0;
    const long = `{"text":"${'x'.repeat(20_000)}"}` as ClaimAsSent;
    const counts: number[] = [];
    const countedIn =
      (claim: Claim): DecideNewClaim =>
      (facts) => {
        counts.push(facts.pendingOffers);
        return saving(claim)(facts);
      };
    const offers = [claimOf(limited), claimOf(limited)];
    await Promise.all([
      ...offers.map((claim) => send(claim, { decide: countedIn(claim) })),
      send(claimOf(firm, { asSent: long })),
      send(claimOf(firm)),
      send(claimOf(firm)),
    ]);
    expect(committed.sort()).toEqual([1, 1, 1, 2]);
    expect(counts).toEqual([0, 1]);
  });
});
