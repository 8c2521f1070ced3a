import { describe, expect, test } from '@jest/globals';
import { claimObject } from '@svc/application';
import type { CarrierDetails, ClaimId, Svcid } from '@svc/domain';
import type { ClaimToSend } from '../../claim-builder.ts';
import type { Fixture, TestFirm } from '../../fixture.ts';

interface Member {
  readonly firm: TestFirm;
  readonly svcId: Svcid;
}

/** Requests that arrive together, which an adapter may put into one transaction. */
export function concurrentRequestsBehavior(fixture: () => Fixture): void {
  const membersOfFirms = async (firms: number): Promise<Member[]> => {
    const members: Member[] = [];
    for (let n = 0; n < firms; n += 1) {
      const firm = await fixture().newFirm();
      members.push({ firm, svcId: await fixture().newMember(firm) });
    }
    return members;
  };
  const feedOf = async ({ firm }: Member) =>
    (await fixture().stores.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 500 })).rows;
  /** The objects of these events, in their order. */
  const audited = async ({ firm }: Member, action: string): Promise<(string | null)[]> =>
    (await fixture().auditOf(firm.id)).flatMap((entry) => (entry.action === action ? [entry.object] : []));
  const verified = ({ firm }: Member) => fixture().verifyAudit(firm.id);

  describe('concurrent requests', () => {
    test('of several firms with the same numbers, keys and carrier create a claim and a book entry of each firm', async () => {
      const { newClaim, send, use } = fixture();
      const members = await membersOfFirms(3);
      const detailsOf = (n: number) => ({
        phone: `985-555-010${n}`,
        email: `claims-${n}@gulf.example`,
        address: { street: `${n} Levee Rd`, city: 'Slidell', state: 'LA', zip: '70458' },
      });
      const alike: ClaimToSend[] = [newClaim(), newClaim(), newClaim(), newClaim()];
      const claimOf = (at: number, n: number): ClaimToSend => {
        const { phone, email, address } = detailsOf(n);
        const details: Partial<CarrierDetails>[] = [{ phone }, { email }, { address }, {}];
        const carrier = { name: 'Gulf Mutual', ...details[at] };
        const { facts, asSent } = alike[at] as ClaimToSend;
        const text = JSON.stringify({ ...JSON.parse(asSent), carrier });
        return { facts: { ...facts, carrier }, asSent: text as ClaimToSend['asSent'] };
      };
      /** The first claims create the entry of a book, the next ones add to it; the last firm begins after the others. */
      const waves = [[0, 1], [0, 1], [2], [2]].map((firms, wave) =>
        firms.flatMap((n) => [0, 1].map((at) => [n, at + 2 * (wave % 2)] as const)),
      );
      const sendWaves = async () => {
        const sent = [];
        for (const wave of waves) {
          const ofWave = wave.map(([n, at]) => {
            const { firm, svcId } = members[n] as Member;
            return send(firm.live, svcId, { claim: claimOf(at, n), idempotencyKey: `alike ${at}` });
          });
          sent.push(...(await Promise.all(ofWave)));
        }
        return sent.map(({ claim, replayed }) => ({ id: claim.id, replayed }));
      };
      const sent = await sendWaves();
      expect(sent.map(({ replayed }) => replayed)).toEqual(sent.map(() => false));
      for (const [n, member] of members.entries()) {
        const feed = await feedOf(member);
        const expected = [0, 1, 2, 3].map((at) => claimOf(at, n).asSent);
        expect(feed.map(({ asSent }) => asSent).sort()).toEqual(expected.sort());
        for (const { id } of feed) {
          const { bookCarrier } = await use.readClaim({ svcId: member.svcId }, id);
          expect(bookCarrier).toEqual({ name: 'Gulf Mutual', ...detailsOf(n) });
        }
      }
      expect(await sendWaves()).toEqual(sent.map((each) => ({ ...each, replayed: true })));
    });

    test('to respond to offers of several firms give each firm its own answers', async () => {
      const { sendId, use } = fixture();
      const members = await membersOfFirms(3);
      const offers: { member: Member; id: ClaimId; rejectionReason: string }[] = [];
      for (const at of [1, 2, 3])
        for (const [n, member] of members.entries())
          offers.push({
            member,
            id: await sendId(member.firm.live, member.svcId),
            rejectionReason: `Firm ${n}, reason ${at}`,
          });
      await Promise.all(
        offers.map(({ member: { svcId }, id, rejectionReason }) =>
          use.rejectClaim({ svcId }, id, rejectionReason),
        ),
      );
      for (const member of members) {
        const own = offers.filter((offer) => offer.member === member);
        const feed = await feedOf(member);
        expect(new Map(feed.map(({ id, assignment }) => [id, assignment.rejectionReason]))).toEqual(
          new Map(own.map(({ id, rejectionReason }) => [id, rejectionReason])),
        );
        expect(await audited(member, 'claim.reject')).toEqual(feed.map(({ id }) => claimObject(id)));
        expect(await verified(member)).toMatchObject({ intact: true });
      }
    });

    test('of one firm in any number each have their job, timestamp and audit event', async () => {
      const { sendId, use, jobsOf } = fixture();
      const [member] = (await membersOfFirms(1)) as [Member];
      const { firm, svcId } = member;
      const ids = await Promise.all(Array.from({ length: 120 }, () => sendId(firm.live, svcId)));
      const objects = ids.map(claimObject).sort();
      const checkFeed = async () => {
        const feed = await feedOf(member);
        expect(feed.map(({ id }) => claimObject(id)).sort()).toEqual(objects);
        expect(new Set(feed.map(({ updatedAt }) => updatedAt)).size).toBe(ids.length);
        return feed.map(({ id }) => claimObject(id));
      };
      expect(await audited(member, 'claim.send')).toEqual(await checkFeed());
      const notified = (await jobsOf(firm)).flatMap(({ job }) =>
        job.kind === 'notify_offer' ? [claimObject(job.claimId)] : [],
      );
      expect(notified.sort()).toEqual(objects);
      await Promise.all(ids.map((id) => use.acceptClaim({ svcId }, id)));
      expect(await audited(member, 'claim.accept')).toEqual(await checkFeed());
      expect(await verified(member)).toMatchObject({ intact: true });
    });
  });
}
