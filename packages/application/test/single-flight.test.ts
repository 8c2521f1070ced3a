import { describe, expect, test } from '@jest/globals';
import {
  type ClaimWrites,
  type IdempotencySlot,
  type KeyedResult,
  makeSendClaim,
  NO_USED_KEYS,
  type SingleFlight,
  type UsedKeys,
} from '@svc/application';
import type { ClaimId } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

describe('sending a claim through SingleFlight', () => {
  const setUp = async (singleFlight: SingleFlight, usedKeys: UsedKeys = NO_USED_KEYS) => {
    const fixture = memoryFixture();
    const { memory, clock, ids } = fixture;
    const firm = await fixture.newFirm();
    const adjuster = await fixture.newMember(firm);
    const sendClaim = makeSendClaim({
      claimWrites: memory.claimWrites,
      singleFlight,
      usedKeys,
      firmReads: memory.firmReads,
      clock,
      ids,
    });
    const command = { ...fixture.newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    return { ...fixture, firm, adjuster, sendClaim, command };
  };

  test('passes the key, firm, environment and fingerprint', async () => {
    const calls: [IdempotencySlot, string][] = [];
    const { sendClaim, firm, command } = await setUp({
      run: (slot, fingerprint, attempt) => {
        calls.push([slot, fingerprint]);
        return attempt();
      },
    });
    await sendClaim(firm.live, command);
    expect(calls).toEqual([[{ firmId: firm.id, environment: 'live', key: 'key-1' }, 'f']]);
  });

  test('a duplicate returns the current claim without running', async () => {
    let shared: KeyedResult = { claimId: '' as ClaimId, replayed: true };
    const { sendClaim, send, firm, command, adjuster, memory } = await setUp({ run: async () => shared });
    const { claim } = await send(firm.live, adjuster);
    shared = { claimId: claim.id, replayed: true };
    const jobs = (await memory.jobs.pending()).length;
    const sent = await sendClaim(firm.live, command);
    expect(sent).toEqual({
      replayed: true,
      claim: await memory.firmReads.claim(firm.id, 'live', claim.id),
    });
    expect(await memory.jobs.pending()).toHaveLength(jobs);
  });

  test('a result with an unknown claim id is an error', async () => {
    const { sendClaim, firm, command } = await setUp({
      run: async () => ({ claimId: 'nothing' as ClaimId, replayed: true }),
    });
    await expect(sendClaim(firm.live, command)).rejects.toThrow('does not exist');
  });
});

describe('a used idempotency key', () => {
  /** Each call runs its own attempt, as in another process. */
  const setUp = async () => {
    const fixture = memoryFixture();
    const { memory, clock, ids } = fixture;
    const used = new Set<string>();
    const transactions = { count: 0 };
    const claimWrites: ClaimWrites = {
      ...memory.claimWrites,
      send(request, decide) {
        transactions.count += 1;
        return memory.claimWrites.send(request, decide);
      },
    };
    const sendClaim = makeSendClaim({
      claimWrites,
      singleFlight: { run: (_slot, _fingerprint, attempt) => attempt() },
      usedKeys: {
        has: async (slot) => used.has(JSON.stringify(slot)),
        add: (slot) => void used.add(JSON.stringify(slot)),
      },
      firmReads: memory.firmReads,
      clock,
      ids,
    });
    const firm = await fixture.newFirm();
    const adjuster = await fixture.newMember(firm);
    const command = { ...fixture.newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    return { ...fixture, firm, used, transactions, sendClaim, command };
  };

  test('lets a replay and a conflict do without a transaction', async () => {
    const { sendClaim, firm, command, transactions } = await setUp();
    const first = await sendClaim(firm.live, command);
    transactions.count = 0;
    const replay = { replayed: true, claim: { id: first.claim.id } };
    expect(await sendClaim(firm.live, command)).toMatchObject(replay);
    const other = sendClaim(firm.live, { ...command, fingerprint: 'g' });
    expect(await errorCodeOf(other)).toBe('idempotency_key_reused');
    expect(transactions.count).toBe(0);
  });

  test('whose record was lost by a restore of the database can be used again', async () => {
    const { sendClaim, firm, command, used } = await setUp();
    used.add(JSON.stringify({ firmId: firm.id, environment: 'live', key: 'key-1' }));
    const sent = await sendClaim(firm.live, command);
    expect(sent.replayed).toBe(false);
    expect(await sendClaim(firm.live, command)).toMatchObject({
      replayed: true,
      claim: { id: sent.claim.id },
    });
  });
});
