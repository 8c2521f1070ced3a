import { describe, expect, test } from '@jest/globals';
import {
  type Attempt,
  type IdempotencySlot,
  makeSendClaim,
  type SingleFlight,
  type UnitOfWork,
} from '@svc/application';
import type { ClaimId } from '@svc/domain';
import { refusalOf } from '@svc/testkit';
import { memoryBench } from './memory-fixture.ts';

describe('sending a claim through twins', () => {
  const started = async (twins: SingleFlight) => {
    const bench = memoryBench();
    const { memory, clock, ids } = bench;
    const firm = await bench.newFirm();
    const adjuster = await bench.newMember(firm);
    const uow = memory.unitOfWork;
    const sendClaim = makeSendClaim({ uow, twins, reads: memory.firmReads, clock, ids });
    const command = { ...bench.newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    return { ...bench, firm, adjuster, sendClaim, command };
  };

  test('says which key of which firm and environment, and what the request amounts to', async () => {
    const asked: [IdempotencySlot, string][] = [];
    const { sendClaim, firm, command } = await started({
      run: (slot, fingerprint, attempt) => {
        asked.push([slot, fingerprint]);
        return attempt();
      },
    });
    await sendClaim(firm.live, command);
    expect(asked).toEqual([[{ firmId: firm.id, environment: 'live', key: 'key-1' }, 'f']]);
  });

  test('a twin whose brother did the work answers with the claim as it is now, without work of its own', async () => {
    let brother: Attempt = { claimId: '' as ClaimId, replayed: true };
    const { sendClaim, send, firm, command, adjuster, memory } = await started({ run: async () => brother });
    const { claim } = await send(firm.live, adjuster);
    brother = { claimId: claim.id, replayed: true };
    const jobs = (await memory.jobs.pending()).length;
    const answer = await sendClaim(firm.live, command);
    expect(answer).toEqual({
      replayed: true,
      claim: await memory.firmReads.claim(firm.id, 'live', claim.id),
    });
    expect(await memory.jobs.pending()).toHaveLength(jobs);
  });

  test('a fast path that names a claim that is not there is a fault, not an answer', async () => {
    const { sendClaim, firm, command } = await started({
      run: async () => ({ claimId: 'nothing' as ClaimId, replayed: true }),
    });
    await expect(sendClaim(firm.live, command)).rejects.toThrow('does not exist');
  });
});

describe('a twin that is committed while this request is under way', () => {
  /** The first look for the key comes just too early, in each unit. */
  const lookingTooEarly = (uow: UnitOfWork): UnitOfWork => ({
    run: (work) =>
      uow.run((tx) => {
        let looks = 0;
        const find: typeof tx.idempotency.find = async (slot, now) => {
          looks += 1;
          return looks === 1 ? null : tx.idempotency.find(slot, now);
        };
        return work({ ...tx, idempotency: { ...tx.idempotency, find } });
      }),
  });

  test('sent the same claim: this one gets it too, whatever has changed since', async () => {
    const { memory, newFirm, newMember, newClaim, use, useOn } = memoryBench();
    const firm = await newFirm();
    const adjuster = await newMember(firm);
    const command = { ...newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    const first = await use.sendClaim(firm.live, command);
    await use.leaveFirm({ svcId: adjuster }, firm.id);
    const { sendClaim } = useOn(lookingTooEarly(memory.unitOfWork));
    const replay = { replayed: true, claim: { id: first.claim.id } };
    expect(await sendClaim(firm.live, command)).toMatchObject(replay);
    const otherClaim = { ...newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    expect(await sendClaim(firm.live, otherClaim)).toMatchObject(replay);
    const otherRequest = { ...command, fingerprint: 'g' };
    expect(await refusalOf(sendClaim(firm.live, otherRequest))).toBe('idempotency_key_reused');
    const otherKey = { ...command, idempotencyKey: 'key-2' };
    expect(await refusalOf(sendClaim(firm.live, otherKey))).toBe('duplicate_claim');
  });

  test('made the same offer, which was accepted at once: this one gets the accepted claim', async () => {
    const { memory, newFirm, newMember, sendId, use, useOn } = memoryBench();
    const firm = await newFirm();
    const [first, second] = [await newMember(firm), await newMember(firm)];
    const claimId = await sendId(firm.live, first);
    const command = { claimId, adjuster: second, idempotencyKey: 'key-1', fingerprint: 'f' };
    await use.offerClaim(firm.live, command);
    await use.acceptOffer({ svcId: second }, claimId);
    const { offerClaim } = useOn(lookingTooEarly(memory.unitOfWork));
    expect(await offerClaim(firm.live, command)).toMatchObject({
      replayed: true,
      claim: { id: claimId, assignment: { status: 'accepted' } },
    });
    const otherKey = { ...command, idempotencyKey: 'key-2' };
    expect(await refusalOf(offerClaim(firm.live, otherKey))).toBe('claim_already_accepted');
  });
});
