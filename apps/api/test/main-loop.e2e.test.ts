import { afterAll, beforeAll, expect, test } from '@jest/globals';
import request, { type Response, type Test } from 'supertest';
import { expectDocumented } from './documented-responses.ts';
import { claimBody, type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

const documented = ({ request: { method, url }, status, headers, text }: Response): void =>
  expectDocumented({
    method,
    path: url.slice(service.url.length),
    status,
    header: (name) => headers[name] ?? null,
    text,
  });

/** Requests with one token, validated against the interface document. */
const caller = (token: string) => {
  const as = (sent: Test): Test => sent.auth(token, { type: 'bearer' }).expect(documented);
  return {
    get: (path: string) => as(request(service.url).get(path)),
    post: (path: string) => as(request(service.url).post(path)),
  };
};

test('an adjuster joins and rejects a claim, another accepts it, and the firm sees each change by polling', async () => {
  const joining = await service.firm();
  const first = await service.adjuster();
  const second = await service.member(joining);
  const firm = caller(joining.live);
  const app = caller(first.token);

  const invited = await firm
    .post('/v1/adjusters/invitations')
    .send({ svc_id: first.svcId, invited_as: 'Jean D.', note: 'for our eyes only' })
    .expect(201);
  expect(invited.body).toMatchObject({ svc_id: first.svcId, status: 'pending', name: null, email: null });

  const early = await firm
    .post('/v1/claims')
    .set('Idempotency-Key', 'too-early')
    .send(claimBody(first.svcId))
    .expect(422);
  expect(early.body.code).toBe('adjuster_not_in_firm');

  const invitations = await app.get('/app/v1/invitations').expect(200);
  expect(invitations.body.data).toEqual([
    expect.objectContaining({ firm_id: joining.id, invited_as: 'Jean D.', missing_profile_fields: [] }),
  ]);
  expect(invitations.text).not.toContain('for our eyes only');
  await app.post(`/app/v1/invitations/${joining.id}/acceptance`).expect(200);

  const body = claimBody(first.svcId);
  const sent = await firm.post('/v1/claims').set('Idempotency-Key', 'claim').send(body).expect(201);
  const { adjuster_svc_id: _, ...content } = body;
  expect(sent.body).toEqual({
    ...content,
    id: sent.body.id,
    test: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: sent.body.created_at,
    assignment: {
      status: 'pending_acceptance',
      adjuster_svc_id: first.svcId,
      responded_at: null,
      rejection_reason: null,
    },
    loss: { date: '2024-09-26', peril: 'flood' },
  });
  const { id } = sent.body;

  const offers = await app.get('/app/v1/claims?status=pending_acceptance').expect(200);
  expect(offers.body.data.map((claim: { id: string }) => claim.id)).toEqual([id]);
  await app.post(`/app/v1/claims/${id}/rejection`).send({ reason: 'too far' }).expect(200);

  const polled = await firm.get(`/v1/claims?updated_since=${sent.body.updated_at}`).expect(200);
  expect(polled.body.data[0].assignment).toMatchObject({ status: 'rejected', rejection_reason: 'too far' });

  const offered = await firm
    .post(`/v1/claims/${id}/assignment`)
    .set('Idempotency-Key', 'again')
    .send({ adjuster_svc_id: second.svcId })
    .expect(200);
  expect(offered.body.assignment.adjuster_svc_id).toBe(second.svcId);
  await app.get(`/app/v1/claims/${id}`).expect(404);
  await caller(second.token).post(`/app/v1/claims/${id}/acceptance`).expect(200);

  const outcome = await firm.get(`/v1/claims/${id}`).expect(200);
  expect(outcome.body.assignment).toMatchObject({ status: 'accepted', rejection_reason: null });
  expect(outcome.body.updated_at > offered.body.updated_at).toBe(true);
});
