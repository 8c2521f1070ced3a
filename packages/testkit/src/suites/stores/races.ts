import { describe, expect, test } from '@jest/globals';
import { type ClaimId, DAY, HOUR, type StaffId, type Svcid, statusAt } from '@svc/domain';
import type { Fixture, TestFirm } from '../../fixture.ts';

const ROUNDS = 8;

/** Result of each concurrent operation: null for success, else the error code. */
async function outcomes(work: readonly Promise<unknown>[]): Promise<(string | null)[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((outcome) => {
    if (outcome.status === 'fulfilled') return null;
    const { reason } = outcome;
    if (reason instanceof Error && reason.name === 'DomainError' && 'code' in reason)
      return String(reason.code);
    throw reason;
  });
}

export function racesBehavior(fixture: () => Fixture): void {
  const assignmentOf = async (firm: TestFirm, id: ClaimId) => {
    const claim = await fixture().stores.firmReads.claim(firm.id, 'live', id);
    if (claim === null) throw new Error('the claim does not exist');
    return claim.assignment;
  };
  const inFirm = async (firm: TestFirm, svcId: Svcid): Promise<boolean> => {
    const record = await fixture().stores.firmReads.adjuster(firm.id, svcId);
    return record !== null && statusAt(record.membership, fixture().clock.now()) === 'active';
  };

  /** Several rounds, each on a new claim; the operations take turns to start first. */
  const rounds = async (round: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 0; n < ROUNDS; n++) await round(n);
  };
  const inEitherOrder = <T>(n: number, one: () => Promise<T>, other: () => Promise<T>): Promise<T>[] => {
    if (n % 2 === 0) return [one(), other()];
    const second = other();
    return [one(), second];
  };

  /** What ends the pending offers of a member. */
  const ENDS: [string, (firm: TestFirm, svcId: Svcid) => Promise<unknown>][] = [
    ['leaving', (firm, svcId) => fixture().use.leaveFirm({ svcId }, firm.id)],
    ['removing the permission', (firm, svcId) => fixture().use.setMember(firm.id, svcId, false)],
  ];

  describe('concurrent operations', () => {
    test('an acceptance and a new offer: one succeeds', async () => {
      const { newFirm, newMember, sendId, offer, use } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      await rounds(async (n) => {
        const id = await sendId(firm.live, svcId);
        const [accepted, offered] = await outcomes(
          inEitherOrder<unknown>(
            n,
            () => use.acceptClaim({ svcId }, id),
            () => offer(firm.live, id, other),
          ),
        );
        const assignment = await assignmentOf(firm, id);
        if (accepted === null) {
          expect(offered).toBe('claim_already_accepted');
          expect(assignment).toMatchObject({ status: 'accepted', adjuster: svcId });
        } else {
          expect([accepted, offered]).toEqual(['not_found', null]);
          expect(assignment).toMatchObject({ status: 'pending_acceptance', adjuster: other });
        }
      });
    });

    test('a withdrawal or a closure and an answer: one succeeds, and the other learns which', async () => {
      const { newFirm, newMember, newStaff, sendId, use, stores } = fixture();
      const firm = await newFirm();
      const [svcId, dispatcher] = [await newMember(firm), await newStaff(firm, 'dispatcher')];
      await rounds(async (n) => {
        const claimId = await sendId(firm.live, svcId);
        const seenUpdatedAt = (await stores.firmReads.claim(firm.id, 'live', claimId))?.updatedAt;
        const accepts = n % 4 < 2;
        const closes = n >= ROUNDS / 2;
        const [answered, ended] = await outcomes(
          inEitherOrder<unknown>(
            n,
            () =>
              accepts ? use.acceptClaim({ svcId }, claimId) : use.rejectClaim({ svcId }, claimId, 'Too far.'),
            () =>
              closes
                ? use.closeClaimAtDesk(dispatcher, { claimId, reason: null, seenUpdatedAt })
                : use.withdrawOffer(dispatcher, { claimId, seenUpdatedAt }),
          ),
        );
        const { status } = await assignmentOf(firm, claimId);
        const tooLate = accepts ? 'claim_already_accepted' : 'offer_not_pending';
        const isAnswered = status === (accepts ? 'accepted' : 'rejected');
        expect([answered, ended, isAnswered || status]).toEqual(
          answered === null
            ? [null, closes ? 'claim_changed' : tooLate, true]
            : ['offer_not_pending', null, 'unassigned'],
        );
      });
    });

    test('an acceptance and a rejection: one succeeds', async () => {
      const { newTeam, sendId, use } = fixture();
      const { firm, svcId } = await newTeam();
      await rounds(async (n) => {
        const id = await sendId(firm.live, svcId);
        const ends = await outcomes(
          inEitherOrder<unknown>(
            n,
            () => use.acceptClaim({ svcId }, id),
            () => use.rejectClaim({ svcId }, id, 'no'),
          ),
        );
        expect([...ends].sort()).toEqual([null, 'offer_not_pending'].sort());
        expect((await assignmentOf(firm, id)).status).toBe(ends[0] === null ? 'accepted' : 'rejected');
      });
    });

    test('offers of one claim by two people who saw the same: one succeeds, and the other learns who offered it to whom', async () => {
      const { newFirm, newMember, newStaff, sendId, stores, use, clock } = fixture();
      const firm = await newFirm();
      const people = await Promise.all(
        ['Ana Lindqvist', 'Bo Okafor'].map((name) => newStaff(firm, 'dispatcher', { name })),
      );
      const svcIds = [await newMember(firm), await newMember(firm)];
      const sentTo = await newMember(firm);
      await rounds(async (n) => {
        const id = await sendId(firm.live, sentTo);
        const seen = await stores.firmReads.claim(firm.id, 'live', id);
        clock.advance(1);
        const offerBy = (who: number) =>
          use.offerClaim(
            {
              ...firm.live,
              origin: { staffId: people[who]?.staffId as StaffId, requestId: 'r', address: '192.0.2.9' },
            },
            {
              claimId: id,
              adjuster: svcIds[who] as Svcid,
              idempotencyKey: `seen ${id} ${who}`,
              fingerprint: `fingerprint ${who}`,
              seenUpdatedAt: seen?.updatedAt,
            },
          );
        const ends = await outcomes(
          inEitherOrder(
            n,
            () => offerBy(0),
            () => offerBy(1),
          ),
        );
        expect([...ends].sort()).toEqual(['claim_changed', null]);
        const winner = ends.indexOf(null);
        const assignment = await assignmentOf(firm, id);
        expect(assignment).toMatchObject({
          adjuster: svcIds[winner],
          offeredBy: `staff:${people[winner]?.staffId}`,
        });
        // A repeat of the offer that was made is no other one.
        expect(await offerBy(winner)).toMatchObject({ replayed: true, claim: { assignment } });
        await expect(offerBy(1 - winner)).rejects.toMatchObject({
          code: 'claim_changed',
          message: expect.stringContaining(`${people[winner]?.name} offered it to`),
        });
        expect(await assignmentOf(firm, id)).toEqual(assignment);
      });
    });

    test('an offer by somebody who saw the claim before it was answered fails, and one by somebody who saw the answer is made', async () => {
      const { newFirm, newMember, sendId, stores, use, clock } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const id = await sendId(firm.live, svcId);
      const seenAt = async () => (await stores.firmReads.claim(firm.id, 'live', id))?.updatedAt;
      const offerSeen = (seenUpdatedAt: number | undefined, key: string) =>
        use.offerClaim(firm.live, {
          ...{ claimId: id, adjuster: other, idempotencyKey: key, fingerprint: key },
          seenUpdatedAt,
        });
      const before = await seenAt();
      clock.advance(1);
      await use.rejectClaim({ svcId }, id, null);
      await expect(offerSeen(before, 'seen-before')).rejects.toMatchObject({
        code: 'claim_changed',
        message: expect.stringMatching(/your firm offered it to .*The offer was rejected\.$/),
      });
      expect((await offerSeen(await seenAt(), 'seen-after')).replayed).toBe(false);
      expect(await assignmentOf(firm, id)).toMatchObject({ adjuster: other, status: 'pending_acceptance' });
    });

    test('offers of one claim to ten adjusters: one adjuster has it at the end', async () => {
      const { newFirm, newMember, sendId, offer, use } = fixture();
      const firm = await newFirm();
      const svcIds = await Promise.all(Array.from({ length: 10 }, () => newMember(firm)));
      const id = await sendId(firm.live, svcIds[0] as Svcid);
      await outcomes(svcIds.map((svcId) => offer(firm.live, id, svcId)));
      const { adjuster } = await assignmentOf(firm, id);
      const ends = await outcomes(svcIds.map((svcId) => use.acceptClaim({ svcId }, id)));
      expect(svcIds.filter((_, n) => ends[n] === null)).toEqual([adjuster]);
    });

    test.each(ENDS)('%s while claims arrive: no offer to them stays pending', async (_, end) => {
      const { newFirm, newMember, sendId, send, offer, stores } = fixture();
      const firm = await newFirm();
      const other = await newMember(firm);
      await rounds(async (n) => {
        const svcId = await newMember(firm);
        const held = await sendId(firm.live, other);
        const [ended] = await outcomes([
          ...inEitherOrder<unknown>(
            n,
            () => end(firm, svcId),
            () => send(firm.live, svcId),
          ),
          send(firm.live, svcId),
          offer(firm.live, held, svcId),
        ]);
        expect(ended).toBeNull();
        const page = { after: null, limit: 200 };
        const { rows } = await stores.firmReads.claims(firm.id, 'live', {}, page);
        const waiting = rows.filter(
          ({ assignment }) => assignment.adjuster === svcId && assignment.status === 'pending_acceptance',
        );
        expect(waiting).toEqual([]);
      });
    });

    test('leaving while the firm offers the claims to someone else: every new offer stays', async () => {
      const { newFirm, newMember, sendId, offer, use } = fixture();
      const firm = await newFirm();
      const other = await newMember(firm);
      await rounds(async () => {
        const svcId = await newMember(firm);
        const ids = await Promise.all(Array.from({ length: 6 }, () => sendId(firm.live, svcId)));
        const ends = await outcomes([
          ...ids.slice(3).map((id) => offer(firm.live, id, other)),
          use.leaveFirm({ svcId }, firm.id),
          ...ids.slice(0, 3).map((id) => offer(firm.live, id, other)),
        ]);
        expect(ends.filter((end) => end !== null)).toEqual([]);
        for (const id of ids)
          expect(await assignmentOf(firm, id)).toMatchObject({
            status: 'pending_acceptance',
            adjuster: other,
          });
      });
    });

    test.each(ENDS)(
      '%s and accepting: the claim is accepted or unassigned, never pending',
      async (_, end) => {
        const { newFirm, newMember, sendId, use } = fixture();
        const firm = await newFirm();
        await rounds(async (n) => {
          const svcId = await newMember(firm);
          const id = await sendId(firm.live, svcId);
          const [ended, accepted] = await outcomes(
            inEitherOrder<unknown>(
              n,
              () => end(firm, svcId),
              () => use.acceptClaim({ svcId }, id),
            ),
          );
          expect(ended).toBeNull();
          expect((await assignmentOf(firm, id)).status).toBe(accepted === null ? 'accepted' : 'unassigned');
        });
      },
    );

    test('two invitations: one is sent, the other fails with invitation_pending', async () => {
      const { newFirm, newAdjuster, invite, jobsOf } = fixture();
      const firm = await newFirm();
      await rounds(async () => {
        const { svcId } = await newAdjuster();
        const ends = await outcomes([invite(firm, svcId), invite(firm, svcId)]);
        expect([...ends].sort()).toEqual([null, 'invitation_pending'].sort());
        const sent = (await jobsOf(firm)).filter(({ job }) => job.svcId === svcId);
        expect(sent).toHaveLength(1);
      });
    });

    test.each(['withdrawing', 'declining'])(
      'accepting and %s an invitation: one succeeds',
      async (ending) => {
        const { newFirm, newAdjuster, invite, use } = fixture();
        const firm = await newFirm();
        await rounds(async (n) => {
          const { svcId } = await newAdjuster();
          await invite(firm, svcId);
          const [accepted, ended] = await outcomes(
            inEitherOrder<unknown>(
              n,
              () => use.acceptInvitation({ svcId }, firm.id),
              () =>
                ending === 'withdrawing'
                  ? use.withdrawInvitation(firm.live, svcId)
                  : use.declineInvitation({ svcId }, firm.id),
            ),
          );
          expect([accepted, ended]).toContain(null);
          expect([accepted, ended]).toContain('not_found');
          expect(await inFirm(firm, svcId)).toBe(accepted === null);
        });
      },
    );

    test('sending, offering, accepting, rejecting and leaving for many adjusters ends in a consistent state', async () => {
      const { newFirm, newMember, sendId, send, offer, use, stores } = fixture();
      const firm = await newFirm();
      const svcIds = await Promise.all(Array.from({ length: 5 }, () => newMember(firm)));
      const at = (n: number): Svcid => svcIds[n % svcIds.length] as Svcid;
      const ids: ClaimId[] = [];
      for (let n = 0; n < 10; n++) ids.push(await sendId(firm.live, at(n)));
      await outcomes(
        ids.flatMap((id, n) => [
          use.acceptClaim({ svcId: at(n) }, id),
          offer(firm.live, id, at(n + 1)),
          use.rejectClaim({ svcId: at(n + 1) }, id, null),
          offer(firm.live, id, at(n + 2)),
          send(firm.live, at(n + 3)),
          ...(n % 5 === 0 ? [use.leaveFirm({ svcId: at(n / 5) }, firm.id)] : []),
        ]),
      );
      const { rows } = await stores.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 200 });
      expect(new Set(rows.map(({ updatedAt }) => updatedAt)).size).toBe(rows.length);
      for (const { assignment } of rows) {
        const { status, adjuster, respondedAt } = assignment;
        expect(respondedAt === null).toBe(status === 'pending_acceptance' || status === 'unassigned');
        if (status === 'pending_acceptance') expect(await inFirm(firm, adjuster)).toBe(true);
      }
    });

    test('firms created at the same moment exist with their test accounts, as do changes of accounts and firms beside them', async () => {
      const { newFirm, newAdjuster, invite, use, stores } = fixture();
      const [firm, former] = [await newFirm(), await newFirm()];
      const adjusters = [await newAdjuster(), await newAdjuster()];
      const changes = [
        use.setPlan(firm.id, 'read_only'),
        use.eraseFirm(former.id, former.name, () => {}),
        ...adjusters.flatMap(({ svcId }) => [
          use.updateProfile({ svcId }, { lastName: 'Changed' }),
          use.setAvailability({ svcId }, { maxOpenOffers: 3 }),
          invite(firm, svcId),
        ]),
      ];
      const firms = Promise.all(Array.from({ length: 8 }, () => newFirm()));
      const [created] = await Promise.all([firms, ...changes]);
      for (const { id, accounts } of created) {
        const stored = await stores.operatorReads.testAccounts(id);
        expect(stored.map(({ svcId }) => svcId).sort()).toEqual(Object.values(accounts).sort());
      }
      expect((await stores.operatorReads.firm(firm.id))?.plan).toBe('read_only');
      expect(await stores.operatorReads.testAccounts(former.id)).toEqual([]);
      for (const { svcId } of adjusters) {
        const { adjuster } = await use.readProfile({ svcId });
        expect(adjuster).toMatchObject({ lastName: 'Changed', availability: { maxOpenOffers: 3 } });
        expect((await stores.firmReads.adjuster(firm.id, svcId))?.membership.status).toBe('pending');
      }
    });

    test('of several rolls of one key one gives a successor', async () => {
      const { newFirm, use, stores } = fixture();
      const firm = await newFirm();
      const properties = { firmId: firm.id, environment: 'live', purpose: 'full_access' } as const;
      for (const lifetimeMs of [null, HOUR]) {
        const { key } = await use.createKey({ ...properties, lifetimeMs });
        const before = (await stores.operatorReads.keys(firm.id)).length;
        const ends = await outcomes([0, 1, 2].map(() => use.rollKey(key.id, DAY)));
        expect(ends.filter((code) => code === null)).toHaveLength(1);
        expect(ends.filter((code) => code === 'already_rolled')).toHaveLength(2);
        expect(await stores.operatorReads.keys(firm.id)).toHaveLength(before + 1);
      }
    });

    test('two accounts confirming one email address: one gets it', async () => {
      const { newAdjuster, use, external } = fixture();
      await rounds(async (n) => {
        const [one, two] = [await newAdjuster(), await newAdjuster()];
        const email = `shared.${one.svcId}@example.net`;
        const codes: string[] = [];
        for (const { svcId } of [one, two]) {
          await use.updateProfile({ svcId }, { email: n % 2 === 0 ? email : email.toUpperCase() });
          codes.push(external.mails.at(-1)?.code ?? '');
        }
        const ends = await outcomes([
          use.confirmEmail({ svcId: one.svcId }, codes[0] ?? ''),
          use.confirmEmail({ svcId: two.svcId }, codes[1] ?? ''),
        ]);
        expect([...ends].sort()).toEqual([null, 'code_refused'].sort());
      });
    });
  });
}
