import { describe, expect, test } from '@jest/globals';
import {
  auditEvent,
  BY_SERVICE,
  claimObject,
  type OfferedClaim,
  type ResponseChange,
} from '@svc/application';
import { acceptClaim, type Claim, DomainError, type FirmId, type Svcid } from '@svc/domain';
import { aClaim, addClaim, aFirm, NOW } from './a-firm.ts';
import { observedStores } from './observed-stores.ts';

for (const pooler of [false, true]) {
  const { database, stores, committed, auditOf, verifyAudit } = await observedStores(pooler);
  describe(`with pooler: ${pooler},`, () => {
    const offers = async (firm: { firmId: FirmId; svcId: Svcid }, count: number): Promise<Claim[]> => {
      const added: Claim[] = [];
      for (let n = 0; n < count; n += 1) {
        const claim = aClaim(firm.firmId, firm.svcId);
        added.push(await addClaim(stores, claim));
      }
      committed.length = 0;
      return added;
    };
    type DecideResponse = (offered: OfferedClaim) => ResponseChange;
    const accept: DecideResponse = ({ claim }) => ({
      assignment: acceptClaim(claim, { by: claim.assignment.adjuster, at: NOW }).assignment,
      jobs: [],
      event: auditEvent(claim.firmId, BY_SERVICE, {
        at: NOW,
        action: 'claim.accept',
        object: claimObject(claim.id),
      }),
    });
    /** With its id in uppercase, as a caller may write it. */
    const respond = ({ id, assignment }: Claim, decide = accept) =>
      stores.claimWrites.respond(assignment.adjuster, id.toUpperCase() as Claim['id'], decide);
    const updatedAtOf = async (claim: Claim): Promise<number> =>
      (await stores.firmReads.claim(claim.firmId, 'live', claim.id))?.updatedAt ?? Number.NaN;
    const statusOf = async (claim: Claim): Promise<string | undefined> =>
      (await stores.firmReads.claim(claim.firmId, 'live', claim.id))?.assignment.status;
    const acceptedObjects = async (firmId: FirmId): Promise<(string | null)[]> =>
      (await auditOf(firmId)).flatMap(({ action, object }) => (action === 'claim.accept' ? [object] : []));

    test('concurrent responses share one transaction; each claim has a separate timestamp, and each event is recorded', async () => {
      const firms = [await aFirm(stores), await aFirm(stores), await aFirm(stores)];
      const claims = (await Promise.all(firms.map((firm) => offers(firm, 5)))).flat();
      committed.length = 0;
      const views = await Promise.all(claims.map((claim) => respond(claim)));
      expect(committed).toEqual([claims.map(() => 'accepted')]);
      for (const [n, claim] of claims.entries()) {
        const view = views[n];
        expect(view).toMatchObject({ id: claim.id, assignment: { status: 'accepted' } });
        expect(await updatedAtOf(claim)).toBe(view?.updatedAt);
      }
      for (const { firmId } of firms) {
        const ids = claims.filter((claim) => claim.firmId === firmId).map(({ id }) => id);
        const page = await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 50 });
        // Each firm's claims are in the order of their responses, 1 ms apart.
        expect(page.rows.map(({ id }) => id)).toEqual(ids);
        const times = page.rows.map(({ updatedAt }) => updatedAt);
        expect(times).toEqual(times.map((_, n) => (times[0] ?? 0) + n));
        expect(await acceptedObjects(firmId)).toEqual(ids.map(claimObject));
        const verified = await verifyAudit(firmId);
        // One of each claim that was added, and one of all responses.
        expect(verified).toMatchObject({ intact: true, rows: 6 });
      }
    });

    test('a response that a rule or the database rejects does not affect the others', async () => {
      const firm = await aFirm(stores);
      const [first, second, third] = (await offers(firm, 3)) as [Claim, Claim, Claim];
      const rejected: DecideResponse = () => {
        throw new DomainError('offer_not_pending', 'By a rule.');
      };
      // A response without a time violates a constraint.
      const invalid: DecideResponse = (offered) => {
        const { assignment, ...rest } = accept(offered);
        return { assignment: { ...assignment, respondedAt: null }, ...rest };
      };
      const results = await Promise.allSettled([
        respond(first, rejected),
        respond(second, invalid),
        respond(third),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
      expect(results[0]).toMatchObject({ reason: { code: 'offer_not_pending' } });
      expect(await Promise.all([first, second, third].map(statusOf))).toEqual([
        'pending_acceptance',
        'pending_acceptance',
        'accepted',
      ]);
      expect(await acceptedObjects(firm.firmId)).toEqual([claimObject(third.id)]);
    });

    test('a response does not wait for locks on other claims, memberships or firms', async () => {
      const firms = [await aFirm(stores), await aFirm(stores), await aFirm(stores), await aFirm(stores)];
      const claims = (await Promise.all(firms.map((firm) => offers(firm, 1)))).flat();
      const [claimLocked, memberLocked, feedLocked, unlocked] = claims as [Claim, Claim, Claim, Claim];
      const done: Claim[] = [];
      await database.sql.query('BEGIN');
      await database.sql.query('SELECT 1 FROM claims WHERE id = $1 FOR UPDATE', [claimLocked.id]);
      await database.sql.query('SELECT 1 FROM memberships WHERE firm_id = $1 FOR UPDATE', [
        memberLocked.firmId,
      ]);
      await database.sql.query('SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR UPDATE', [feedLocked.firmId]);
      const responses = claims.map((claim) => respond(claim).then(() => done.push(claim)));
      await responses[3];
      expect(done).toEqual([unlocked]);
      await database.sql.query('COMMIT');
      await Promise.all(responses);
      expect(await Promise.all(claims.map(statusOf))).toEqual(claims.map(() => 'accepted'));
    });

    test('a claim that is offered to another adjuster while the response waits for it is not found', async () => {
      const firm = await aFirm(stores);
      const [claim] = (await offers(firm, 1)) as [Claim];
      const { svcId } = await aFirm(stores);
      await database.sql.query('BEGIN');
      await database.sql.query('UPDATE claims SET adjuster_svc_id = $1 WHERE id = $2', [svcId, claim.id]);
      let decided = false;
      const response = respond(claim, (offered) => {
        decided = true;
        return accept(offered);
      });
      await database.lockAwaited();
      await database.sql.query('COMMIT');
      expect(await response).toBeNull();
      expect(decided).toBe(false);
    });
  });
}
