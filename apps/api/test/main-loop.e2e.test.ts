import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claimBody, type ServiceUnderTest, sendClaim, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

test('from invitation to outcome: the adjuster joins, is offered a claim, rejects it, another accepts it, and the firm learns all of it by polling', async () => {
  const firm = await service.firm();
  const first = await service.adjuster();
  const second = await service.member(firm);

  const invited = await service.call('POST', '/v1/adjusters/invitations', {
    as: firm.live,
    body: { svc_id: first.svcId, invited_as: 'Jean D.', note: 'for our eyes only' },
  });
  expect(invited.status).toBe(201);
  expect(invited.json).toMatchObject({ svc_id: first.svcId, status: 'pending', name: null, email: null });

  const early = await sendClaim(service, firm.live, claimBody(first.svcId));
  expect([early.status, early.json.code]).toEqual([422, 'adjuster_not_in_firm']);

  const invitations = await service.call('GET', '/app/v1/invitations', { as: first.token });
  expect(invitations.json.data).toEqual([
    expect.objectContaining({ firm_id: firm.id, invited_as: 'Jean D.', missing_profile_fields: [] }),
  ]);
  expect(invitations.text).not.toContain('for our eyes only');
  const joined = await service.call('POST', `/app/v1/invitations/${firm.id}/acceptance`, { as: first.token });
  expect(joined.status).toBe(200);

  const body = claimBody(first.svcId);
  const sent = await sendClaim(service, firm.live, body);
  expect(sent.status).toBe(201);
  const { adjuster_svc_id: _, ...content } = body;
  expect(sent.json).toEqual({
    ...content,
    id: sent.json.id,
    test: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: sent.json.created_at,
    assignment: {
      status: 'pending_acceptance',
      adjuster_svc_id: first.svcId,
      responded_at: null,
      rejection_reason: null,
    },
    loss: { date: '2024-09-26', peril: 'flood' },
  });

  const offers = await service.call('GET', '/app/v1/claims?status=pending_acceptance', { as: first.token });
  expect(offers.json.data.map((claim: { id: string }) => claim.id)).toEqual([sent.json.id]);
  const rejected = await service.call('POST', `/app/v1/claims/${sent.json.id}/rejection`, {
    as: first.token,
    body: { reason: 'too far' },
  });
  expect(rejected.status).toBe(200);

  const polled = await service.call('GET', `/v1/claims?updated_since=${sent.json.updated_at}`, {
    as: firm.live,
  });
  expect(polled.json.data[0].assignment).toMatchObject({ status: 'rejected', rejection_reason: 'too far' });

  const offered = await service.call('POST', `/v1/claims/${sent.json.id}/assignment`, {
    as: firm.live,
    body: { adjuster_svc_id: second.svcId },
    headers: { 'Idempotency-Key': 'again' },
  });
  expect([offered.status, offered.json.assignment.adjuster_svc_id]).toEqual([200, second.svcId]);
  expect((await service.call('GET', `/app/v1/claims/${sent.json.id}`, { as: first.token })).status).toBe(404);
  const accepted = await service.call('POST', `/app/v1/claims/${sent.json.id}/acceptance`, {
    as: second.token,
  });
  expect(accepted.status).toBe(200);

  const outcome = await service.call('GET', `/v1/claims/${sent.json.id}`, { as: firm.live });
  expect(outcome.json.assignment).toMatchObject({ status: 'accepted', rejection_reason: null });
  expect(outcome.json.updated_at > offered.json.updated_at).toBe(true);
});
