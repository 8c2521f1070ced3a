import { describe, expect, test } from '@jest/globals';
import { type Attempt, type IdempotencySlot, makeSendClaim, type Twins } from '@svc/application';
import type { ClaimId } from '@svc/domain';
import { memoryBench } from './memory-bench.ts';

describe('sending a claim through twins', () => {
  const started = async (twins: Twins) => {
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
      once: (slot, fingerprint, attempt) => {
        asked.push([slot, fingerprint]);
        return attempt();
      },
    });
    await sendClaim(firm.live, command);
    expect(asked).toEqual([[{ firmId: firm.id, environment: 'live', key: 'key-1' }, 'f']]);
  });

  test('a twin whose brother did the work answers with the claim as it is now, without work of its own', async () => {
    let brother: Attempt = { claimId: '' as ClaimId, replayed: true };
    const { sendClaim, send, firm, command, adjuster, memory } = await started({ once: async () => brother });
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
      once: async () => ({ claimId: 'nothing' as ClaimId, replayed: true }),
    });
    await expect(sendClaim(firm.live, command)).rejects.toThrow('does not exist');
  });
});
