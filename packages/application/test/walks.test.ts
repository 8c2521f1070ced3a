import { describe, expect, test } from '@jest/globals';
import { type ClaimId, DAY, DomainError, type Svcid, statusAt } from '@svc/domain';
import fc from 'fast-check';
import { memoryFixture } from './memory-fixture.ts';

// An action, the index of its adjuster and the index of its claim.
const step = fc.record({
  what: fc.constantFrom(
    ...(['send', 'send', 'offer', 'offer', 'accept', 'reject', 'close', 'closeByOperator', 'work'] as const),
    ...(['leave', 'invite', 'join', 'pause', 'resume', 'wait'] as const),
  ),
  who: fc.nat(2),
  which: fc.nat(3),
});

const ALLOWED_TRANSITIONS = new Set([
  'pending_acceptance>accepted',
  'pending_acceptance>rejected',
  'pending_acceptance>unassigned',
  'pending_acceptance>pending_acceptance',
  'rejected>pending_acceptance',
  'unassigned>pending_acceptance',
]);

describe('any sequence of actions of firm, adjusters and operator', () => {
  test('follows the transition table and changes updated_at exactly when the firm can see the change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const { newFirm, newMember, sendId, offer, invite, use, clock, memory } = memoryFixture();
        const firm = await newFirm();
        const adjusters = [await newMember(firm), await newMember(firm), await newMember(firm)];
        const sent: ClaimId[] = [];
        const closedByOperator = new Set<ClaimId>();
        const view = async () =>
          (await memory.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 200 })).rows;

        let before = await view();
        for (const { what, who, which } of steps) {
          clock.advance(which === 0 ? 0 : 7);
          const svcId = adjusters[who] as Svcid;
          const actor = { svcId };
          const id = sent[which % Math.max(1, sent.length)];
          try {
            if (what === 'send') sent.push(await sendId(firm.live, svcId));
            else if (what === 'leave') await use.leaveFirm(actor, firm.id);
            else if (what === 'invite') await invite(firm, svcId);
            else if (what === 'join') await use.acceptInvitation(actor, firm.id);
            else if (what === 'pause') await use.setAcceptingAssignments(actor, firm.id, false);
            else if (what === 'resume') await use.setAcceptingAssignments(actor, firm.id, true);
            else if (what === 'wait') clock.advance(DAY);
            else if (id === undefined) continue;
            else if (what === 'offer') await offer(firm.live, id, svcId);
            else if (what === 'accept') await use.acceptClaim(actor, id);
            else if (what === 'reject') await use.rejectClaim(actor, id, null);
            else if (what === 'work') await use.recordWork(actor, id, { notes: 'n' });
            else if (what === 'close') await use.closeAcceptedClaim(actor, id);
            else {
              await use.closeClaimAsOperator(id);
              closedByOperator.add(id);
            }
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }

          const after = await view();
          expect(new Set(after.map(({ updatedAt }) => updatedAt)).size).toBe(after.length);
          const newest = Math.max(0, ...before.map(({ updatedAt }) => updatedAt));
          for (const claim of after) {
            const old = before.find((each) => each.id === claim.id);
            if (old !== undefined && old.updatedAt === claim.updatedAt) {
              expect(claim).toEqual(old);
              continue;
            }
            expect(claim.updatedAt).toBeGreaterThan(newest);
            if (old === undefined) expect(claim.assignment.status).toBe('pending_acceptance');
            else expect(ALLOWED_TRANSITIONS).toContain(`${old.assignment.status}>${claim.assignment.status}`);
          }
          for (const { id, assignment } of after) {
            if (assignment.status !== 'pending_acceptance' || closedByOperator.has(id)) continue;
            const record = await memory.firmReads.adjuster(firm.id, assignment.adjuster);
            expect(record && statusAt(record.membership, clock.now())).toBe('active');
          }
          before = after;
        }
      }),
      { numRuns: 40 },
    );
  });
});
