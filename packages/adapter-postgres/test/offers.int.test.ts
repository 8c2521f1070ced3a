import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type AssignmentChange,
  auditEvent,
  BY_SERVICE,
  claimObject,
  type OfferFacts,
} from '@svc/application';
import { type Claim, DomainError, offerClaim, type Svcid } from '@svc/domain';
import { ConcurrencyConflict } from '../src/driver/errors.ts';
import type { Executor, Statement, Value } from '../src/driver/executor.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { pgOfferHistory } from '../src/stores/pg-offer-history.ts';
import { aClaim, addClaim, aFirm, aMembership, NOW } from './a-firm.ts';
import { observedStores } from './observed-stores.ts';

const { database, stores, committed, auditOf } = await observedStores();

describe('Offers of claims that exist', () => {
  beforeEach(() => {
    committed.length = 0;
  });

  test('an offer that is made while the history of its claim is read is in it once', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const { id } = await addClaim(stores, aClaim(firmId, svcId));
    let statements = 0;
    const executor: Executor = {
      async rows<R>({ text }: Statement, values: readonly Value[] = []): Promise<R[]> {
        statements += 1;
        if (statements === 2) {
          await database.sql.query(
            `INSERT INTO offers (firm_id, claim_id, offered_at, environment, adjuster_svc_id, ended_at, status)
             SELECT firm_id, id, offered_at + n * interval '1 s', environment, adjuster_svc_id, now(), 'withdrawn'
               FROM claims, generate_series(-1, 1) n WHERE id = $1`,
            [id],
          );
          await database.sql.query(
            `UPDATE claims SET offered_at = offered_at + interval '2 s' WHERE id = $1`,
            [id],
          );
        }
        return (await database.sql.query(text, [...values])).rows;
      },
    };
    const { ofClaim } = pgOfferHistory(executor, executor, NO_ENCRYPTION);
    const before = (await ofClaim(firmId, id)).map(({ status }) => status);
    expect([statements, before]).toEqual([2, ['withdrawn', 'pending_acceptance']]);
    expect(await ofClaim(firmId, id)).toHaveLength(4);
  });

  test('a withdrawal that runs again after a conflict is counted, and recorded, once', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const claim = await addClaim(stores, aClaim(firmId, svcId));
    const event = auditEvent(firmId, BY_SERVICE, { at: NOW, action: 'claim.withdraw', object: null });
    committed.length = 0;
    let runs = 0;
    await stores.unitOfWork.run(async (tx) => {
      runs += 1;
      await tx.claims.save({ ...claim, assignment: { ...claim.assignment, status: 'unassigned' } });
      await tx.audit.record(event);
      if (runs === 1) throw new ConcurrencyConflict('a conflict');
    });
    expect([runs, committed]).toEqual([2, [['unassigned']]]);
    expect((await auditOf(firmId)).map(({ action }) => action)).toEqual(['claim.send', 'claim.withdraw']);
  });

  type Decide = (facts: OfferFacts) => AssignmentChange;
  const offering =
    (adjuster: Svcid): Decide =>
    ({ claim }) => ({
      assignment: offerClaim(claim, { adjuster, at: NOW }).assignment,
      jobs: [{ job: { kind: 'notify_offer', firmId: claim.firmId, claimId: claim.id, svcId: adjuster } }],
      event: auditEvent(claim.firmId, BY_SERVICE, {
        at: NOW,
        action: 'claim.offer',
        object: claimObject(claim.id),
      }),
    });
  const offer = (
    { firmId, environment, id }: Claim,
    adjuster: Svcid,
    { decide = offering(adjuster), key = `offer ${id}`, claimId = id } = {},
  ) =>
    stores.claimWrites.offer(
      { slot: { firmId, environment, key }, fingerprint: 'f', adjuster, claimId, at: NOW },
      decide,
    );

  /** Claims offered to one adjuster of a firm, which has another one. */
  const aFirmWithClaims = async (count: number) => {
    const firm = await aFirm(stores);
    const { svcId: other } = await aFirm(stores);
    await stores.unitOfWork.run((tx) => tx.memberships.save(aMembership(firm.firmId, other)));
    const claims: Claim[] = [];
    for (let n = 0; n < count; n += 1) claims.push(await addClaim(stores, aClaim(firm.firmId, firm.svcId)));
    committed.length = 0;
    return { ...firm, other, claims };
  };
  const adjusterOf = async ({ firmId, id }: Claim) =>
    (await stores.firmReads.claim(firmId, 'live', id))?.assignment.adjuster;
  /** What was written with the offers of a claim. */
  const writtenWith = async ({ firmId, id }: Claim) => {
    const { rows } = await database.sql.query(
      `SELECT (SELECT count(*)::int FROM idempotency_records WHERE firm_id = $1 AND claim_id = $2
           AND key LIKE 'offer %') AS keys,
         (SELECT count(*)::int FROM jobs WHERE firm_id = $1 AND payload->>'claimId' = $2::uuid::text) AS jobs`,
      [firmId, id],
    );
    const events = await auditOf(firmId);
    const offers = events.filter(
      ({ action, object }) => action === 'claim.offer' && object === claimObject(id),
    );
    return { ...rows[0], events: offers.length };
  };
  const ONE_OFFER = { keys: 1, jobs: 1, events: 1 };
  const NONE = { keys: 0, jobs: 0, events: 0 };

  test('concurrent ones of several firms share one transaction; each has a timestamp, a key, a job and an event', async () => {
    const firms = [await aFirmWithClaims(5), await aFirmWithClaims(5)];
    committed.length = 0;
    const offered = await Promise.all(
      firms.flatMap(({ claims, other }) => claims.map((claim) => offer(claim, other))),
    );
    expect(committed).toEqual([Array(10).fill('pending_acceptance')]);
    for (const { firmId, claims, other } of firms) {
      const { rows } = await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 50 });
      expect(rows.map(({ id }) => id)).toEqual(claims.map(({ id }) => id));
      expect(rows.map(({ updatedAt }) => updatedAt)).toEqual(
        rows.map((_, n) => (rows[0]?.updatedAt ?? 0) + n),
      );
      for (const [n, claim] of claims.entries()) {
        const { assignment, updatedAt } = rows[n] ?? claim;
        expect(assignment.adjuster).toBe(other);
        expect(offered).toContainEqual({ ...claim, assignment, updatedAt });
        expect(await writtenWith(claim)).toEqual(ONE_OFFER);
      }
    }
  });

  test('two of one claim run one after the other, also if its id is written differently', async () => {
    const { svcId, other, claims } = await aFirmWithClaims(1);
    const [claim] = claims as [Claim];
    const seen: Svcid[] = [];
    const deciding =
      (adjuster: Svcid): Decide =>
      (facts) => {
        seen.push(facts.claim.assignment.adjuster);
        return offering(adjuster)(facts);
      };
    const claimId = claim.id.toUpperCase() as Claim['id'];
    await Promise.all([
      offer(claim, other, { decide: deciding(other), key: '1' }),
      offer(claim, svcId, { decide: deciding(svcId), key: '2', claimId }),
    ]);
    expect(seen).toEqual([svcId, other]);
    expect(await adjusterOf(claim)).toBe(svcId);
  });

  test('one that a rule or the database rejects does not affect the others, and one of no claim is not found', async () => {
    const { other, claims } = await aFirmWithClaims(3);
    const [ruled, invalid, valid] = claims as [Claim, Claim, Claim];
    const byRule: Decide = () => {
      throw new DomainError('adjuster_not_accepting', 'By a rule.');
    };
    // A response without a time violates a constraint.
    const byDatabase: Decide = (facts) => {
      const { assignment, ...rest } = offering(other)(facts);
      return { assignment: { ...assignment, status: 'accepted' }, ...rest };
    };
    const unknown = aClaim(valid.firmId, other);
    const ends = await Promise.allSettled([
      offer(ruled, other, { decide: byRule }),
      offer(invalid, other, { decide: byDatabase }),
      offer(valid, other),
      offer(unknown, other),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(ends[3]).toMatchObject({ value: null });
    expect(await writtenWith(ruled)).toEqual(NONE);
    expect(await writtenWith(invalid)).toEqual(NONE);
    expect(await writtenWith(valid)).toEqual(ONE_OFFER);
    expect(await writtenWith(unknown)).toEqual(NONE);
  });

  test.each([
    ['claim', 'SELECT 1 FROM claims WHERE firm_id = $1 FOR UPDATE'],
    ['membership', 'SELECT 1 FROM memberships WHERE firm_id = $1 FOR UPDATE'],
    ['change feed', 'SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR UPDATE'],
  ])('none waits for the locked %s of another firm, whose offer is written once', async (_, lock) => {
    const [locked, free] = [await aFirmWithClaims(1), await aFirmWithClaims(1)];
    const [lockedClaim, freeClaim] = [locked.claims[0] as Claim, free.claims[0] as Claim];
    await database.sql.query('BEGIN');
    await database.sql.query(lock, [locked.firmId]);
    const both = [offer(lockedClaim, locked.other), offer(freeClaim, free.other)];
    await both[1];
    expect(await writtenWith(lockedClaim)).toEqual(NONE);
    await database.sql.query('COMMIT');
    await both[0];
    expect(await writtenWith(lockedClaim)).toEqual(ONE_OFFER);
    expect(await writtenWith(freeClaim)).toEqual(ONE_OFFER);
  });
});
