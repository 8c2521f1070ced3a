import { describe, expect, test } from '@jest/globals';
import { type ErrorCode, endpoints, makeProblem, smallestClaim } from '@svc/contract';
import { chanceFrom } from '../generate/seeded.ts';
import { mutateBody } from './bodies.ts';
import { type FuzzAnswer, type FuzzRequest, judge } from './judge.ts';

const headers = { 'x-request-id': 'r1', 'cache-control': 'no-store' };
const request = (changes: Partial<FuzzRequest> = {}): FuzzRequest => ({
  endpoint: endpoints.getHealth,
  method: 'GET',
  path: '/v1/health',
  headers: {},
  body: undefined,
  mutations: [],
  ...changes,
});
const success = (changes: Partial<FuzzAnswer> = {}): FuzzAnswer => ({
  status: 200,
  headers: { ...headers, 'content-type': 'application/json' },
  text: '{}',
  ...changes,
});

function problem(
  code: ErrorCode,
  changes: Record<string, unknown> = {},
  more: Record<string, string> = {},
): FuzzAnswer {
  const made = {
    ...makeProblem(code, { docsUrl: 'http://x/docs', requestId: 'r1' }),
    ...(code === 'validation_failed' && { errors: [{ detail: 'wrong', pointer: '/svc_id' }] }),
    ...changes,
  };
  return {
    status: made.status,
    headers: { ...headers, 'content-type': 'application/problem+json', ...more },
    text: JSON.stringify(made),
  };
}
const invite = (changes: Partial<FuzzRequest> = {}): FuzzRequest =>
  request({
    endpoint: endpoints.inviteAdjuster,
    method: 'POST',
    path: '/v1/adjusters/invitations',
    ...changes,
  });
const mutation = { name: 'a field left out', verdict: 'refused', pointer: '/svc_id' } as const;

describe('the judge of fuzzed answers', () => {
  test('an answer as documented passes', () => {
    expect(judge(request(), success())).toBeNull();
    expect(judge(invite({ mutations: [mutation] }), problem('validation_failed'))).toBeNull();
    expect(judge(invite(), problem('already_member'))).toBeNull();
    expect(
      judge(request({ endpoint: null }), problem('method_not_allowed', {}, { allow: 'GET, HEAD' })),
    ).toBeNull();
  });

  test.each<[string, FuzzRequest, FuzzAnswer]>([
    ['a failure of the service', invite(), problem('internal_error')],
    [
      'an unavailability without a cause',
      invite(),
      problem('service_unavailable', {}, { 'retry-after': '1' }),
    ],
    ['a missing request id', request(), success({ headers: { 'cache-control': 'no-store' } })],
    ['an answer that may be kept', request(), success({ headers: { 'x-request-id': 'r1' } })],
    ['another success than documented', request(), success({ status: 201 })],
    ['another shape than documented', request({ endpoint: endpoints.getKeyInfo }), success()],
    ['another type than documented', request(), success({ headers })],
    ['a body where there is none', request({ endpoint: endpoints.signOut }), success({ status: 204 })],
    ['another request id in the body', invite(), problem('already_member', { request_id: 'r2' })],
    ['a code that this endpoint does not document', invite(), problem('claim_closed')],
    ['a status that is not the code’s', invite(), { ...problem('already_member'), status: 422 }],
    ['an unknown member', invite(), problem('already_member', { stack: 'at' })],
    ['errors without their code', invite(), problem('already_member', { errors: [] })],
    [
      'an item without a place',
      invite({ mutations: [mutation] }),
      problem('validation_failed', { errors: [{ detail: 'x' }] }),
    ],
    [
      'a complaint about another place',
      invite({ mutations: [mutation] }),
      problem('validation_failed', { errors: [{ detail: 'x', pointer: '/note' }] }),
    ],
    ['a sound request that is refused', invite(), problem('validation_failed')],
    ['a bent request that is taken', invite({ mutations: [mutation] }), success({ status: 201 })],
    [
      'another refusal than must come',
      invite({ codes: ['malformed_request'] }),
      problem('validation_failed'),
    ],
    ['a 401 that does not say how', invite(), problem('invalid_key')],
    ['a 405 that does not say what else', request({ endpoint: null }), problem('method_not_allowed')],
    ['a 429 that does not say until when', invite(), problem('rate_limited')],
    [
      'a duplicate that names no claim',
      request({ endpoint: endpoints.sendClaim }),
      problem('duplicate_claim'),
    ],
  ])('%s is found', (_name, asked, answer) => {
    expect(judge(asked, answer)).not.toBeNull();
  });
});

test('the same seed bends a body in the same way, and the body that was given stays as it is', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['claim_number'],
    properties: { claim_number: { type: 'string', minLength: 1, maxLength: 100 } },
  };
  const before = JSON.stringify(smallestClaim);
  // As text: a body nested 3,000 deep overflows the stack of a comparison that walks it.
  const bent = (): string[] => {
    const chance = chanceFrom('a seed');
    return Array.from({ length: 50 }, () => JSON.stringify(mutateBody(smallestClaim, schema, chance)));
  };
  expect(bent()).toEqual(bent());
  expect(JSON.stringify(smallestClaim)).toBe(before);
});
