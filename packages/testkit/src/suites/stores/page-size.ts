import { describe, expect, test } from '@jest/globals';
import type { AppClaimList } from '@svc/application';
import type { ClaimAsSent, ClaimId } from '@svc/domain';
import type { ClaimToSend } from '../../claim-builder.ts';
import { type Fixture, pagesOf, type TestFirm } from '../../fixture.ts';

const MAX_BYTES = 60_000;

export function pageSizeBehavior(fixture: () => Fixture): void {
  const claimOf = (bytes: number): ClaimToSend => {
    const { facts, asSent } = fixture().newClaim();
    const instructions = 'x'.repeat(bytes);
    return { facts, asSent: JSON.stringify({ ...JSON.parse(asSent), instructions }) as ClaimAsSent };
  };
  const feedOf = (firm: TestFirm) =>
    pagesOf((page) => fixture().stores.firmReads.claims(firm.id, 'live', {}, page), MAX_BYTES);
  const setUp = async (sizes: readonly number[]) => {
    const { newTeam, sendId, clock } = fixture();
    const { firm, svcId } = await newTeam();
    const claims = sizes.map(claimOf);
    const ids: ClaimId[] = [];
    for (const claim of claims) {
      clock.advance(1);
      ids.push(await sendId(firm.live, svcId, { claim }));
    }
    return { firm, svcId, ids, documents: claims.map(({ asSent }) => asSent) };
  };
  const idsOf = (pages: readonly (readonly { readonly id: ClaimId }[])[]): ClaimId[][] =>
    pages.map((page) => page.map(({ id }) => id));
  const bytesOf = (page: readonly { readonly asSent: ClaimAsSent }[]): number =>
    page.reduce((bytes, { asSent }) => bytes + asSent.length, 0);

  describe('a page ends at its size', () => {
    test("in the firm's list and the adjuster's, with every claim once, in order and complete", async () => {
      const { firm, svcId, ids, documents } = await setUp([
        2000, 30_000, 100, 30_000, 9000, 9000, 20_000, 6000,
      ]);
      const offersTo = () =>
        pagesOf((page) => fixture().stores.appReads.claims(svcId, 'pending_acceptance', page), MAX_BYTES);
      const offers = await offersTo();
      for (const pages of [await feedOf(firm), offers]) {
        expect(idsOf(pages).flat()).toEqual(ids);
        expect(pages.flat().map(({ asSent }) => asSent)).toEqual(documents);
        const sizes = pages.map(bytesOf);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_BYTES);
        expect(pages.length).toBeLessThanOrEqual(3);
        expect(pages.length).toBeGreaterThanOrEqual(2);
      }
      const { newFirm, sendId, use, clock } = fixture();
      const other = await newFirm();
      await use.addMember(other.id, svcId);
      clock.advance(1);
      const theirs = await sendId(other.live, svcId, { claim: claimOf(9000) });
      expect(idsOf(await offersTo()).flat()).toEqual([...ids, theirs]);
    });

    test('a claim that is larger than a page is returned alone', async () => {
      const { firm, ids } = await setUp([100, 150_000, 200_000, 100]);
      expect(idsOf(await feedOf(firm))).toEqual(ids.map((id) => [id]));
    });

    test("in a list of accepted claims, with the adjuster's own notes and contacts", async () => {
      const { use, clock, stores } = fixture();
      const { svcId, ids } = await setUp([100, 100, 100]);
      for (const id of ids) await use.acceptClaim({ svcId }, id);
      const [logged, noted] = ids as [ClaimId, ClaimId];
      for (let n = 0; n < 25; n++) {
        const attempt = {
          id: `call ${n}`,
          at: clock.now(),
          result: 'no_answer',
          note: 'x'.repeat(500),
        } as const;
        await use.logContact({ svcId }, logged, attempt);
      }
      await use.recordWork({ svcId }, noted, { notes: 'ü'.repeat(4000) });
      const pages = (list: AppClaimList, maxBytes: number) =>
        pagesOf((page) => stores.appReads.claims(svcId, list, page), maxBytes);
      const found = await pages('accepted', 9000);
      expect(idsOf(found)).toEqual(ids.map((id) => [id]));
      expect(found.flat()[0]?.work.details?.contacts).toHaveLength(25);
      expect(idsOf(await pages('accepted', MAX_BYTES))).toEqual([ids]);
    });

    test("in the firm's list of adjusters, and the adjuster's of invitations", async () => {
      const { newFirm, newAdjuster, invite, clock, stores } = fixture();
      const { svcId } = await newAdjuster();
      for (let n = 0; n < 4; n++) await invite(await newFirm(), svcId, { invitedAs: 'ü'.repeat(1000) });
      const invitations = await pagesOf(
        (page) => stores.appReads.invitations(svcId, clock.now(), page),
        15_000,
      );
      expect(invitations.map((page) => page.length)).toEqual([2, 2]);
      const firm = await newFirm();
      for (let n = 0; n < 4; n++) {
        clock.advance(1);
        await invite(firm, (await newAdjuster()).svcId, { note: 'ü'.repeat(1000) });
      }
      const pages = await pagesOf((page) => stores.firmReads.adjusters(firm.id, 'live', page), 15_000);
      expect(pages.flat()).toHaveLength(
        (await stores.firmReads.adjusters(firm.id, 'live', { after: null, limit: 100 })).rows.length,
      );
      expect(pages.length).toBeGreaterThanOrEqual(2);
    });
  });
}
