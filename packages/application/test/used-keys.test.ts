import { describe, expect, test } from '@jest/globals';
import { type ClaimWrites, makeSendClaim } from '@svc/application';
import { errorCodeOf } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

describe('a used idempotency key', () => {
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
      usedKeys: {
        has: async (slot) => used.has(JSON.stringify(slot)),
        add: (slot) => void used.add(JSON.stringify(slot)),
      },
      runningKeys: new Map(),
      firmReads: memory.firmReads,
      clock,
      ids,
    });
    const { firm, svcId: adjuster } = await fixture.newTeam();
    const command = { ...fixture.newClaim(), adjuster, idempotencyKey: 'key-1', fingerprint: 'f' };
    return { ...fixture, firm, used, transactions, sendClaim, command };
  };

  test('lets a replay and a conflict do without a transaction', async () => {
    const { sendClaim, firm, command, transactions } = await setUp();
    const first = await sendClaim(firm.live, command);
    transactions.count = 0;
    const replay = { replayed: true, claim: { id: first.claim.id } };
    expect(await sendClaim(firm.live, command)).toMatchObject(replay);
    await expect(sendClaim(firm.live, { ...command, fingerprint: 'g' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      message: 'This Idempotency-Key was used in the last 24 hours for a different request.',
    });
    expect(transactions.count).toBe(0);
  });

  test('is refused to a different request while the first one runs, and free once that has failed', async () => {
    const { sendClaim, firm, command } = await setUp();
    const unknown = { ...command, adjuster: 'SVC-nobody' as typeof command.adjuster };
    const [failed, different] = await Promise.all([
      errorCodeOf(sendClaim(firm.live, unknown)),
      errorCodeOf(sendClaim(firm.live, { ...command, fingerprint: 'g' })),
    ]);
    expect([failed, different]).toEqual(['unknown_svcid', 'idempotency_key_reused']);
    expect((await sendClaim(firm.live, { ...command, fingerprint: 'g' })).replayed).toBe(false);
  });

  test('gives its claim to a retry also while a different request with it runs', async () => {
    const { sendClaim, firm, command } = await setUp();
    const { claim } = await sendClaim(firm.live, command);
    const [different, retry] = await Promise.all([
      errorCodeOf(sendClaim(firm.live, { ...command, fingerprint: 'g' })),
      sendClaim(firm.live, command),
    ]);
    expect(different).toBe('idempotency_key_reused');
    expect(retry).toMatchObject({ replayed: true, claim: { id: claim.id } });
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
