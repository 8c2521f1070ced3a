import { expect, test } from '@jest/globals';
import type { AuditAction } from '@svc/domain';
import { auditText, type OfferRecord, toDateTime } from '../../src/index.ts';
import { makeIssueReceipt } from '../../src/receipts/issue-receipt.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('a receipt shows the pushes of its offer, and the device of its answer from an audit row with several answers', async () => {
  const { newOffer, useOn, memory, clock } = memoryFixture();
  const { firm, svcId, id } = await newOffer();
  const record = await memory.offerHistory.latestOfFirm(firm.id, 'live', id);
  if (record === null) throw new Error('expected an offer');
  // In whole seconds, as JWTs have it.
  const iat = clock.now() / 1000;
  clock.advance(999);
  const receiptOf = async (changes: Partial<OfferRecord>) => {
    const offerHistory = { ...memory.offerHistory, latestOfFirm: async () => ({ ...record, ...changes }) };
    const { receipt, ...of } = await useOn({ offerHistory }).issueReceipt(firm.live, id);
    expect(of).toEqual({ firmId: firm.id, claimId: id });
    return JSON.parse(receipt);
  };
  const pushes = [
    { channel: 'mail', outcome: 'delivered', at: 5 },
    { channel: 'ab', outcome: 'retried', at: 2 },
  ] as const;
  const offer = { ...record.offer, respondedAt: 6, firstSeenAt: 8, pushes };
  const event = (action: AuditAction, claim: string, answeredAt: number) => ({
    ...{ at: 7, actor: 'adjuster:A', address: null, requestId: null, outcome: 'ok' },
    ...{ action, object: `claim:${claim}`, device: { answeredAt, keptOfflineSince: answeredAt + 1 } },
  });
  for (const action of ['claim.accept', 'claim.reject'] as const) {
    const text = auditText([event(action, 'another', 1), event('claim.work', id, 2), event(action, id, 3)]);
    const contact = { at: 10, deviceAt: 11, date: '2026-09-02' };
    const steps = { contact, inspection: { at: null, deviceAt: null, date: '2026-09-03' } };
    const audit = { seq: 9, at: 7, text, hash: 'hash' };
    const onDevice = { device_at: toDateTime(3), kept_offline_since: toDateTime(4) };
    const whole = {
      ...{
        iss: 'https://claims.example',
        iat,
        version: 1,
        environment: 'live',
        status: 'pending_acceptance',
      },
      ...{ claim_id: id, firm_id: firm.id, external_id: record.externalId, adjuster_svc_id: svcId },
      ...{ offered_at: toDateTime(offer.offeredAt), first_seen_at: toDateTime(8) },
      pushes: pushes.map((push) => ({ ...push, at: toDateTime(push.at) })),
      answered: { at: toDateTime(6), ...onDevice },
      late_answer: null,
      clocks: {
        first_contact: { at: toDateTime(10), device_at: toDateTime(11), date: '2026-09-02' },
        inspection: { at: null, device_at: null, date: '2026-09-03' },
      },
      closed_at: toDateTime(12),
      decided_by: expect.objectContaining({ rule: expect.any(String) }),
      audit: { seq: 9, hash: 'hash' },
    };
    expect(await receiptOf({ offer, steps, audit, closedAt: 12 })).toEqual(whole);
    const late = { answer: action === 'claim.accept' ? 'accept' : 'reject', at: toDateTime(7), ...onDevice };
    const unanswered = { ...offer, respondedAt: null };
    expect(await receiptOf({ offer: unanswered, steps: null, audit, closedAt: 12 })).toEqual({
      ...{ ...whole, answered: null, late_answer: late, clocks: null },
    });
    expect(await receiptOf({ offer: unanswered, audit })).toMatchObject({ late_answer: late });
  }
  expect(await receiptOf({ offer: { ...offer, firstSeenAt: null }, audit: null })).toMatchObject({
    first_seen_at: null,
    answered: { at: toDateTime(6), device_at: null },
    closed_at: null,
    decided_by: { rule: 'awaiting_answer' },
    audit: null,
  });
  const addresses = { baseUrl: 'unknown until the service listens' };
  const receiptSigner = {
    sign: async (payload: object) => JSON.stringify(payload),
    publicKeys: async () => [],
  };
  const issue = makeIssueReceipt({ offerHistory: memory.offerHistory, receiptSigner, addresses, clock });
  addresses.baseUrl = 'http://127.0.0.1:3001';
  expect(JSON.parse((await issue(firm.live, id)).receipt)).toMatchObject({ iss: addresses.baseUrl });
  expect(await receiptOf({ closedAt: 8 })).toMatchObject({
    closed_at: toDateTime(8),
    decided_by: { rule: 'claim_closed' },
  });
});
