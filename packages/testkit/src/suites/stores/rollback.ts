import { describe, expect, test } from '@jest/globals';
import type { ClaimId, Svcid } from '@svc/domain';
import { everyPage, type Fixture, OPERATOR, type TestFirm, type UseCases } from '../../fixture.ts';
import { type FailingStores, InjectedFault } from '../../injected-faults.ts';

export function rollbackBehavior(
  fixture: () => Fixture,
  failingAfter: (statements: number) => FailingStores,
): void {
  /** Everything visible of a firm and its adjusters. */
  const snapshotOf = async (firm: TestFirm, svcIds: readonly Svcid[]) => {
    const { stores, clock, jobsOf } = fixture();
    const { accountReads, firmReads, appReads, operatorReads } = stores;
    const claims = await everyPage((page) => firmReads.claims(firm.id, 'live', {}, page), 100);
    return {
      claims: await Promise.all(claims.map(({ id }) => operatorReads.claim(id))),
      adjusters: await everyPage((page) => firmReads.adjusters(firm.id, 'live', page), 100),
      firm: await operatorReads.firm(firm.id),
      keys: await operatorReads.keys(firm.id),
      version: await stores.credentials.version(),
      jobs: await jobsOf(firm),
      apps: await Promise.all(
        svcIds.map(async (svcId) => ({
          account: await appReads.adjuster(svcId),
          firms: await appReads.memberships(svcId),
          invitations: await appReads.invitations(svcId, clock.now(), { after: null, limit: 100 }),
          devices: await stores.jobReads.devices(svcId, clock.now()),
          sessions: await accountReads.sessions({ svcId }, clock.now()),
        })),
      ),
    };
  };

  /** Injects a fault after each statement in turn until the work succeeds. Returns their number. */
  const failingAtEachStep = async (
    work: (use: UseCases) => Promise<unknown>,
    everything: () => Promise<unknown>,
  ): Promise<number> => {
    const { useOn } = fixture();
    const before = await everything();
    for (let statements = 1; ; statements++) {
      const { stores, hasFailed } = failingAfter(statements);
      const end = await work(useOn(stores)).then(
        () => null,
        (error: unknown) => error,
      );
      if (!hasFailed()) {
        expect(end).toBeNull();
        expect(await everything()).not.toEqual(before);
        return statements - 1;
      }
      expect(end).toBeInstanceOf(InjectedFault);
      expect(await everything()).toEqual(before);
    }
  };

  describe('a unit of work that fails at any step has no effect', () => {
    const setUp = async () => {
      const { newFirm, newMember, sendId, newClaim } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const carrier = { name: 'Gulf Mutual' };
      const id = await sendId(firm.live, svcId, { claim: newClaim({ carrier }) });
      return { firm, svcId, other, id, everything: () => snapshotOf(firm, [svcId, other]) };
    };

    test('sending a claim: no claim, carrier detail, bound key, change timestamp or job', async () => {
      const { newClaim, clock } = fixture();
      const { firm, svcId, everything } = await setUp();
      clock.advance(10);
      const claim = newClaim({ carrier: { name: 'Gulf Mutual', phone: '985-555-0142' } });
      const command = { ...claim, adjuster: svcId, idempotencyKey: 'key-1', fingerprint: 'a'.repeat(64) };
      const results: unknown[] = [];
      const steps = await failingAtEachStep(async (use) => {
        results.push(await use.sendClaim(firm.live, command));
      }, everything);
      expect(steps).toBeGreaterThanOrEqual(7);
      expect(results).toMatchObject([{ replayed: false, claim: { updatedAt: clock.now() } }]);
    });

    test('offering a claim', async () => {
      const { firm, other, id: claimId, everything } = await setUp();
      const command = { claimId, adjuster: other, idempotencyKey: 'key-1', fingerprint: 'a'.repeat(64) };
      await failingAtEachStep((use) => use.offerClaim(firm.live, command), everything);
    });

    test('a new secret of a webhook endpoint that is paused with it', async () => {
      const { newFirm, use, stores } = fixture();
      const firm = await newFirm();
      const caller = OPERATOR;
      const endpoint = { firmId: firm.id, environment: 'test', url: 'https://hooks.example' } as const;
      const { id } = (await use.createWebhook(caller, endpoint)).webhook;
      const changes = { state: 'paused', overlapMs: 1000 } as const;
      await failingAtEachStep(
        (on) => on.updateWebhook(caller, firm.id, id, changes),
        () => stores.webhookReads.endpoints(firm.id),
      );
    });

    test('claims that are sent, offered and accepted together', async () => {
      const { sendId, newClaim } = fixture();
      const { firm, svcId, other, everything } = await setUp();
      const ids = [await sendId(firm.live, svcId), await sendId(firm.live, svcId)];
      const together = (work: (use: UseCases) => Promise<unknown>[]) =>
        failingAtEachStep(async (use) => {
          const ends = await Promise.allSettled(work(use));
          const [failed, ...more] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
          if (failed === undefined) return;
          // All of them or none.
          expect(more).toHaveLength(ends.length - 1);
          throw failed;
        }, everything);
      const requestOf = (n: number) => ({ idempotencyKey: `key-${n}`, fingerprint: 'f' });
      // With a carrier that the book has, so that each needs the same statements.
      const claims = [1, 2, 3].map(() => newClaim({ carrier: { name: 'Gulf Mutual' } }));
      await together((use) =>
        claims.map((claim, n) => use.sendClaim(firm.live, { ...claim, adjuster: svcId, ...requestOf(n) })),
      );
      await together((use) =>
        ids.map((claimId, n) =>
          use.offerClaim(firm.live, { claimId, adjuster: other, ...requestOf(n + claims.length) }),
        ),
      );
      await together((use) => ids.map((id) => use.acceptClaim({ svcId: other }, id)));
    });

    test('sending to a test account with a simulated response', async () => {
      const { newClaim } = fixture();
      const { firm, everything } = await setUp();
      const command = {
        ...newClaim(),
        adjuster: firm.accounts.accepts,
        idempotencyKey: 'k',
        fingerprint: 'f',
      };
      await failingAtEachStep((use) => use.sendClaim(firm.test, command), everything);
    });

    test('accepting, editing and closing a claim', async () => {
      const { svcId, id, everything } = await setUp();
      await failingAtEachStep((use) => use.acceptClaim({ svcId }, id), everything);
      await failingAtEachStep((use) => use.recordWork({ svcId }, id, { notes: 'n' }), everything);
      await failingAtEachStep((use) => use.closeAcceptedClaim({ svcId }, id), everything);
    });

    test('leaving a firm with several pending offers', async () => {
      const { sendId } = fixture();
      const { firm, svcId, everything } = await setUp();
      const ids: ClaimId[] = [];
      for (let n = 0; n < 3; n++) ids.push(await sendId(firm.live, svcId));
      await failingAtEachStep((use) => use.leaveFirm({ svcId }, firm.id), everything);
    });

    test('inviting, accepting, withdrawing', async () => {
      const { newAdjuster } = fixture();
      const { firm } = await setUp();
      const { svcId } = await newAdjuster();
      const everything = () => snapshotOf(firm, [svcId]);
      const notes = { invitedAs: 'A', invitedBy: null, purpose: null, note: null };
      const invite = (use: UseCases) => use.inviteAdjuster(firm.live, { svcId, notes });
      await failingAtEachStep(invite, everything);
      await failingAtEachStep((use) => use.withdrawInvitation(firm.live, svcId), everything);
      // In a batch too, where a refusal of one is no failure.
      const batch = new Set([svcId, 'nobody' as Svcid]);
      await failingAtEachStep((use) => use.inviteAdjusters(firm.live, batch), everything);
      await failingAtEachStep((use) => use.acceptInvitation({ svcId }, firm.id), everything);
    });

    test('changing a profile, a device, a membership', async () => {
      const { firm, svcId, everything } = await setUp();
      const { newSession } = fixture();
      const { tokenHash } = await newSession(svcId);
      const subscription = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
      const register = (use: UseCases) => use.putDevice({ svcId }, tokenHash, 'phone', subscription);
      await failingAtEachStep((use) => use.updateProfile({ svcId }, { firstName: 'Zoë' }), everything);
      await failingAtEachStep(register, everything);
      await failingAtEachStep((use) => use.removeDevice({ svcId }, 'phone'), everything);
      await failingAtEachStep(register, everything);
      await failingAtEachStep((use) => use.signOut({ svcId }, tokenHash), everything);
      await failingAtEachStep((use) => use.setMember(firm.id, svcId, false), everything);
    });

    test('creating a firm with its test accounts', async () => {
      const { stores } = fixture();
      const firms = async () => (await stores.operatorReads.firms()).length;
      const steps = await failingAtEachStep(
        (use) => use.createFirm({ name: 'Half', plan: 'standard' }),
        firms,
      );
      expect(steps).toBeGreaterThanOrEqual(1 + 7 + 4);
    });

    test('creating, rolling and revoking keys, changing the plan', async () => {
      const { use } = fixture();
      const { firm, everything } = await setUp();
      const properties = {
        firmId: firm.id,
        environment: 'live',
        purpose: 'claims',
        lifetimeMs: null,
      } as const;
      await failingAtEachStep((on) => on.createKey(properties), everything);
      const { key } = await use.createKey(properties);
      await failingAtEachStep((on) => on.rollKey(key.id, 1_000), everything);
      await failingAtEachStep((on) => on.revokeKey(key.id), everything);
      await failingAtEachStep((on) => on.setPlan(firm.id, 'read_only'), everything);
    });

    test('a sign-in: the code can still be used', async () => {
      const { useOn, use, external } = fixture();
      const { email, svcId } = await fixture().newAdjuster();
      await use.requestSignInCode(email ?? '');
      const { code = '' } = external.mails.at(-1) ?? {};
      let statements = 1;
      for (; ; statements++) {
        const { stores, hasFailed } = failingAfter(statements);
        const signIn = useOn(stores).signIn({ email: email ?? '', code });
        if (
          !(await signIn.then(
            () => false,
            () => hasFailed(),
          ))
        ) {
          expect((await signIn).account.svcId).toBe(svcId);
          break;
        }
      }
      expect(statements).toBeGreaterThan(3);
    });
  });

  describe('a unit of work', () => {
    test('is visible to others only after it ends, and to itself immediately', async () => {
      const { newOffer, stores, clock } = fixture();
      const { firm, svcId, id } = await newOffer();
      const before = await snapshotOf(firm, [svcId]);
      await stores.unitOfWork.run(async (tx) => {
        const membership = await tx.memberships.lock(firm.id, svcId);
        const claim = await tx.claims.lock(firm.id, id);
        if (membership === null || claim === null) throw new Error('the setup is missing');
        await tx.memberships.save({ ...membership, canAcceptClaims: false });
        await tx.outbox.add({ kind: 'notify_offer', firmId: firm.id, claimId: id, svcId });
        const saved = await tx.claims.save({ ...claim, closedAt: clock.now() });
        expect(await snapshotOf(firm, [svcId])).toEqual(before);
        expect((await tx.memberships.lock(firm.id, svcId))?.canAcceptClaims).toBe(false);
        expect(await tx.claims.lock(firm.id, id)).toEqual(saved);
      });
      expect(await snapshotOf(firm, [svcId])).not.toEqual(before);
    });

    test('rolls back on an error and rethrows it unchanged', async () => {
      const { stores } = fixture();
      const thrown = new InjectedFault('mine');
      await expect(stores.unitOfWork.run(() => Promise.reject(thrown))).rejects.toBe(thrown);
    });
  });
}
