import { describe, expect, test } from '@jest/globals';
import {
  type Attempt,
  type IdempotencySlot,
  makeSendClaim,
  NO_USED_KEYS,
  newClaimsInTransactions,
  type SingleFlight,
  type UnitOfWork,
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
    const uow = memory.unitOfWork;
    const sendClaim = makeSendClaim({
      newClaims: newClaimsInTransactions(uow),
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
    let shared: Attempt = { claimId: '' as ClaimId, replayed: true };
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
    const uow: UnitOfWork = {
      run(work) {
        transactions.count += 1;
        return memory.unitOfWork.run(work);
      },
    };
    const sendClaim = makeSendClaim({
      newClaims: newClaimsInTransactions(uow),
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

describe('a duplicate that commits while this request is running', () => {
  /** In each transaction the first lookup of the key misses the record. */
  const missingFirstLookup = (uow: UnitOfWork): UnitOfWork => ({
    run: (work) =>
      uow.run((tx) => {
        let lookups = 0;
        const find: typeof tx.idempotency.find = async (slot, now) => {
          lookups += 1;
          return lookups === 1 ? null : tx.idempotency.find(slot, now);
        };
        return work({ ...tx, idempotency: { ...tx.idempotency, find } });
      }),
  });

  test('sent the same claim: this request returns it, also after other changes', async () => {
    const { memory, newFirm, newMember, newClaim, use, useOn } = memoryFixture();
    const firm = await newFirm();
    const adjuster = await newMember(firm);
    const command = { ...newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    const first = await use.sendClaim(firm.live, command);
    await use.leaveFirm({ svcId: adjuster }, firm.id);
    const { sendClaim } = useOn(missingFirstLookup(memory.unitOfWork));
    const replay = { replayed: true, claim: { id: first.claim.id } };
    expect(await sendClaim(firm.live, command)).toMatchObject(replay);
    const otherClaim = { ...newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    expect(await sendClaim(firm.live, otherClaim)).toMatchObject(replay);
    const otherRequest = { ...command, fingerprint: 'g' };
    expect(await errorCodeOf(sendClaim(firm.live, otherRequest))).toBe('idempotency_key_reused');
    const otherKey = { ...command, idempotencyKey: 'key-2' };
    expect(await errorCodeOf(sendClaim(firm.live, otherKey))).toBe('duplicate_claim');
  });

  test('made the same offer, since accepted: this request returns the accepted claim', async () => {
    const { memory, newFirm, newMember, sendId, use, useOn } = memoryFixture();
    const firm = await newFirm();
    const [first, second] = [await newMember(firm), await newMember(firm)];
    const claimId = await sendId(firm.live, first);
    const command = { claimId, adjuster: second, idempotencyKey: 'key-1', fingerprint: 'f' };
    await use.offerClaim(firm.live, command);
    await use.acceptClaim({ svcId: second }, claimId);
    const { offerClaim } = useOn(missingFirstLookup(memory.unitOfWork));
    expect(await offerClaim(firm.live, command)).toMatchObject({
      replayed: true,
      claim: { id: claimId, assignment: { status: 'accepted' } },
    });
    const otherKey = { ...command, idempotencyKey: 'key-2' };
    expect(await errorCodeOf(offerClaim(firm.live, otherKey))).toBe('claim_already_accepted');
  });
});
