import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { auditEvent, BY_SERVICE, claimObject, type NewClaim, type SendFacts } from '@svc/application';
import {
  ALWAYS_AVAILABLE,
  type CarrierDetails,
  type Claim,
  type ClaimAsSent,
  DomainError,
  type FirmId,
  type Svcid,
} from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import type { PostgresStores } from '../src/index.ts';
import { aClaim, addClaim, aFirm, NOW } from './a-firm.ts';
import { openStores } from './fresh-database.ts';
import { observedStores } from './observed-stores.ts';

for (const pooler of [false, true]) {
  const { database, stores, committed, auditOf, verifyAudit } = await observedStores(pooler);
  describe(`with pooler: ${pooler},`, () => {
    type DecideNewClaim = (facts: SendFacts) => NewClaim;
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
    const send = (
      claim: Claim,
      { key = claim.id as string, fingerprint = 'f', decide = saving(claim), on = stores } = {},
    ) =>
      on.claimWrites.send(
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
    const sentEventsOf = async ({ firmId }: TestFirm) => (await auditOf(firmId)).map(({ object }) => object);
    const idsOf = (claims: readonly Claim[]): string[] => claims.map(({ id }) => id);
    test('concurrent claims share one transaction; each has a separate timestamp, key, job and event', async () => {
      const firms = [firm, await aFirm(stores), await aFirm(stores)];
      committed.length = 0;
      const claims = firms.flatMap((of) => Array.from({ length: 5 }, () => claimOf(of)));
      const saved = await Promise.all(claims.map((claim) => send(claim)));
      expect(committed).toEqual([claims.map(() => 'pending_acceptance')]);
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
        const verified = await verifyAudit(of.firmId);
        expect(verified).toMatchObject({ intact: true, rows: 1 });
      }
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

    test('events of other firms do not wait for a change feed that stays locked', async () => {
      const other = await aFirm(stores);
      const read = { at: NOW, action: 'claims.read', object: 'a read' } as const;
      await database.sql.query('BEGIN');
      await database.sql.query('SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR UPDATE', [other.firmId]);
      const events = [firm, other].map(({ firmId }) => auditEvent(firmId, BY_SERVICE, read));
      const recorded = Promise.allSettled([stores.audit.append(events)]);
      await eventually(async () => (await sentEventsOf(firm)).includes('a read'));
      await database.sql.query('COMMIT');
      await recorded;
      expect(await sentEventsOf(other)).toEqual(['a read']);
    });

    test('a claim whose key another process binds first is a replay of that one', async () => {
      const [claim, free] = [claimOf(firm), claimOf(firm)];
      const earlier = await addClaim(stores, claimOf(firm));
      await database.sql.query('BEGIN');
      await database.sql.query(`INSERT INTO idempotency_records VALUES ($1, 'live', 'k', 'f', $2, $3)`, [
        firm.firmId,
        earlier.id,
        new Date(NOW),
      ]);
      const both = [send(claim, { key: 'k' }), send(free)];
      await database.lockAwaited();
      await database.sql.query('COMMIT');
      expect(await Promise.all(both)).toMatchObject([
        { claimId: earlier.id, replayed: true },
        { id: free.id },
      ]);
      expect(await storedOf(firm)).toEqual([earlier.id, free.id]);
    });

    describe('of two processes that send at the same time,', () => {
      let other: PostgresStores;
      beforeAll(async () => {
        other = await openStores({ url: database.url, poolMax: 4, pooler, clock: { now: () => NOW } });
      });
      const both = (claims: readonly [Claim, Claim], options: (claim: Claim) => Parameters<typeof send>[1]) =>
        Promise.allSettled(
          claims.map((claim, n) => send(claim, { ...options(claim), on: n === 0 ? stores : other })),
        );

      test('one creates the claim of a key, also if it reaches a limit of offers, and the other gets it', async () => {
        for (let round = 0; round < 5; round += 1) {
          const limited = await aFirm(stores);
          const availability = { ...ALWAYS_AVAILABLE, maxOpenOffers: 1 };
          await stores.unitOfWork.run((tx) => tx.adjusters.saveAvailability(limited.svcId, availability));
          const claims = [claimOf(limited), claimOf(limited)] as const;
          const ends = await both(claims, (claim) => ({
            key: 'k',
            decide(facts) {
              if (facts.pendingOffers > 0) throw new DomainError('adjuster_not_accepting', 'The limit.');
              return saving(claim)(facts);
            },
          }));
          const [created] = await storedOf(limited);
          const results = ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason));
          expect(results.map((result) => ('replayed' in result ? result.claimId : result.id))).toEqual([
            created,
            created,
          ]);
        }
      });

      test('one creates the claim of an external id, and the other finds it as a duplicate', async () => {
        for (let round = 0; round < 5; round += 1) {
          const of = await aFirm(stores);
          const claims = [claimOf(of, { externalId: 'e' }), claimOf(of, { externalId: 'e' })] as const;
          const ends = await both(claims, () => ({}));
          const [created] = await storedOf(of);
          const results = ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason));
          expect(results).toContainEqual(expect.objectContaining({ id: created }));
          expect(results).toContainEqual(expect.objectContaining({ existingClaimId: created }));
        }
      });
    });

    test('a claim is stored exactly as sent', async () => {
      const asSent = JSON.stringify({ text: 'a"b\\n{},\t\u007f', n: 1.5 }) as ClaimAsSent;
      const texts = { externalId: 'ext "{},\\', claimNumber: 'NULL', asSent };
      const carrier = {
        name: 'O\'Neil, "Sons" {1}',
        address: { city: 'Bay "St" \\ Louis' },
      } as CarrierDetails;
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
      const longOf = (length: number) => `{"text":"${'x'.repeat(length - 11)}"}` as ClaimAsSent;
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
        send(claimOf(firm, { asSent: longOf(16_385) })),
        send(claimOf(firm, { asSent: longOf(16_384) })),
        send(claimOf(firm)),
      ]);
      expect(committed.map(({ length }) => length).sort()).toEqual([1, 1, 1, 2]);
      expect(counts).toEqual([0, 1]);
    });
  });
}
