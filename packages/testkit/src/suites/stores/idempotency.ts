import { describe, expect, test } from '@jest/globals';
import { type ClaimId, HOUR } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';

export function idempotencyBehavior(fixture: () => Fixture): void {
  describe('an Idempotency-Key', () => {
    const setUp = async () => {
      const { newTeam, newClaim } = fixture();
      const { firm, svcId } = await newTeam();
      return { firm, svcId, claim: newClaim() };
    };

    test('makes a repeated request return the current claim without further effect', async () => {
      const { send, use, jobsOf, stores } = fixture();
      const { firm, svcId, claim } = await setUp();
      const request = { claim, idempotencyKey: 'key-1' };
      const first = await send(firm.live, svcId, request);
      await use.acceptClaim({ svcId }, first.claim.id);
      const jobs = (await jobsOf(firm)).length;
      const again = await send(firm.live, svcId, request);
      expect(again).toEqual({
        replayed: true,
        claim: await stores.firmReads.claim(firm.id, 'live', first.claim.id),
      });
      expect(again.claim.assignment.status).toBe('accepted');
      expect(await jobsOf(firm)).toHaveLength(jobs);
    });

    test('is found with its request and the current claim, by its own firm and environment, for 24 hours', async () => {
      const { send, use, stores, clock } = fixture();
      const { firm, svcId, claim } = await setUp();
      const request = { claim, idempotencyKey: 'key-1', fingerprint: 'f'.repeat(64) };
      const sent = await send(firm.live, svcId, request);
      await use.acceptClaim({ svcId }, sent.claim.id);
      const slot = { firmId: firm.id, environment: 'live', key: 'key-1' } as const;
      const { firmReads } = stores;
      expect(await firmReads.boundClaim(slot, clock.now())).toEqual({
        fingerprint: request.fingerprint,
        claim: await firmReads.claim(firm.id, 'live', sent.claim.id),
      });
      const { firm: other } = await setUp();
      for (const unknown of [{ key: 'key-2' }, { environment: 'test' } as const, { firmId: other.id }]) {
        expect(await firmReads.boundClaim({ ...slot, ...unknown }, clock.now())).toBeNull();
      }
      expect(await firmReads.boundClaim(slot, clock.now() + 24 * HOUR)).toBeNull();
    });

    test('cannot be used for a different request', async () => {
      const { send, newClaim, offer } = fixture();
      const { firm, svcId, claim } = await setUp();
      const first = await send(firm.live, svcId, { claim, idempotencyKey: 'key-1' });
      const reused = 'idempotency_key_reused';
      expect(await errorCodeOf(send(firm.live, svcId, { claim: newClaim(), idempotencyKey: 'key-1' }))).toBe(
        reused,
      );
      expect(await errorCodeOf(offer(firm.live, first.claim.id, svcId, { idempotencyKey: 'key-1' }))).toBe(
        reused,
      );
    });

    test('is bound only on success: a rejected request can be corrected', async () => {
      const { send, use, newClaim } = fixture();
      const { firm, svcId, claim } = await setUp();
      await use.setAcceptingAssignments({ svcId }, firm.id, false);
      const request = { claim, idempotencyKey: 'key-1' };
      expect(await errorCodeOf(send(firm.live, svcId, request))).toBe('adjuster_not_accepting');
      await use.setAcceptingAssignments({ svcId }, firm.id, true);
      const corrected = { claim: newClaim(), idempotencyKey: 'key-1' };
      expect((await send(firm.live, svcId, corrected)).replayed).toBe(false);
      expect((await send(firm.live, svcId, corrected)).replayed).toBe(true);
    });

    test('belongs to the firm and the environment', async () => {
      const { send, newClaim } = fixture();
      const { firm, svcId, claim } = await setUp();
      const other = await setUp();
      const request = { claim, idempotencyKey: 'key-1', fingerprint: 'f'.repeat(64) };
      const sent = [
        await send(firm.live, svcId, request),
        await send(firm.test, firm.accounts.manual, request),
        await send(other.firm.live, other.svcId, request),
      ];
      expect(sent.map(({ replayed }) => replayed)).toEqual([false, false, false]);
      expect(new Set(sent.map((each) => each.claim.id)).size).toBe(3);
      const atOnce = await Promise.all([
        send(firm.live, svcId, { claim: newClaim(), idempotencyKey: 'key-2' }),
        send(firm.test, firm.accounts.manual, { claim: newClaim(), idempotencyKey: 'key-2' }),
        send(other.firm.live, other.svcId, { claim: newClaim(), idempotencyKey: 'key-2' }),
      ]);
      expect(atOnce.map(({ replayed }) => replayed)).toEqual([false, false, false]);
    });

    test('is stored for exactly 24 hours, and can then be used again', async () => {
      const { send, newClaim, clock } = fixture();
      const { firm, svcId, claim } = await setUp();
      const request = { claim, idempotencyKey: 'key-1' };
      await send(firm.live, svcId, request);
      clock.advance(24 * HOUR - 1);
      expect((await send(firm.live, svcId, request)).replayed).toBe(true);
      clock.advance(1);
      expect(await errorCodeOf(send(firm.live, svcId, request))).toBe('duplicate_claim');
      const again = { claim: newClaim(), idempotencyKey: 'key-1' };
      const { claim: renewed } = await send(firm.live, svcId, again);
      clock.advance(24 * HOUR - 1);
      const replay = { replayed: true, claim: { id: renewed.id } };
      expect(await send(firm.live, svcId, again)).toMatchObject(replay);
    });

    test('of any length and script is distinct from every other', async () => {
      const { send, newClaim } = fixture();
      const { firm, svcId } = await setUp();
      for (const idempotencyKey of [
        'k',
        'K',
        'k ',
        'ключ',
        'k'.repeat(255),
        '🔑'.repeat(255),
        "k'--",
        '%_',
      ]) {
        const request = { claim: newClaim(), idempotencyKey };
        expect((await send(firm.live, svcId, request)).replayed).toBe(false);
        expect((await send(firm.live, svcId, request)).replayed).toBe(true);
      }
    });

    test('makes forty concurrent identical requests create one claim, which all of them get', async () => {
      const { send, jobsOf, stores } = fixture();
      const { firm, svcId, claim } = await setUp();
      const request = { claim, idempotencyKey: 'key-1' };
      const jobs = (await jobsOf(firm)).length;
      const sent = await Promise.all(Array.from({ length: 40 }, () => send(firm.live, svcId, request)));
      expect(new Set(sent.map((each) => each.claim.id)).size).toBe(1);
      expect(sent.filter(({ replayed }) => !replayed)).toHaveLength(1);
      const { rows } = await stores.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 100 });
      expect(rows.map(({ id }) => id)).toEqual([sent[0]?.claim.id]);
      expect(await jobsOf(firm)).toHaveLength(jobs + 1);
    });

    test('makes concurrent identical assignments create one offer', async () => {
      const { offer, sendId, newMember, jobsOf } = fixture();
      const { firm, svcId } = await setUp();
      const second = await newMember(firm);
      const id = await sendId(firm.live, svcId);
      const jobs = (await jobsOf(firm)).length;
      const offered = await Promise.all(
        Array.from({ length: 10 }, () => offer(firm.live, id, second, { idempotencyKey: 'key-1' })),
      );
      expect(offered.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(offered.map((each) => each.claim.updatedAt)).size).toBe(1);
      // One offer to the second adjuster, one withdrawal from the first.
      expect(await jobsOf(firm)).toHaveLength(jobs + 2);
    });

    test('of different concurrent requests, one succeeds and the others fail', async () => {
      const { send, newClaim, stores } = fixture();
      const { firm, svcId } = await setUp();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, () =>
          send(firm.live, svcId, { claim: newClaim(), idempotencyKey: 'key-1' }),
        ),
      );
      const made: ClaimId[] = [];
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') made.push(outcome.value.claim.id);
        else expect(outcome.reason).toMatchObject({ code: 'idempotency_key_reused' });
      }
      expect(made).toHaveLength(1);
      const { rows } = await stores.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 100 });
      expect(rows.map(({ id }) => id)).toEqual(made);
    });
  });
}
