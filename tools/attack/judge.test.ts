import { describe, expect, test } from '@jest/globals';
import { type ErrorCode, endpoints, makeProblem, smallestClaim } from '@svc/contract';
import { seededRandom } from '../generate/random.ts';
import { mutateBody } from './fuzz-bodies.ts';
import { describeFinding, type FuzzRequest, type FuzzResponse, judge } from './judge.ts';

const headers = {
  'x-request-id': 'r1',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
const request = ({ endpoint = endpoints.getHealth, ...changes }: Partial<FuzzRequest> = {}): FuzzRequest => ({
  endpoint,
  method: endpoint?.method ?? 'GET',
  path: endpoint?.path ?? '/v1/none',
  headers: {},
  body: undefined,
  mutations: [],
  ...changes,
});
const success = (changes: Partial<FuzzResponse> = {}): FuzzResponse => ({
  status: 200,
  headers: { ...headers, 'content-type': 'application/json' },
  text: '{}',
  ...changes,
});

function problem(
  code: ErrorCode,
  changes: Record<string, unknown> = {},
  more: Record<string, string> = {},
): FuzzResponse {
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
  request({ endpoint: endpoints.inviteAdjuster, ...changes });
const mutation = { name: 'a missing field', expected: 'invalid', pointer: '/svc_id' } as const;

describe('checks of fuzz responses', () => {
  test('a documented response passes', () => {
    expect(judge(request(), success())).toBeNull();
    expect(judge(invite({ mutations: [mutation] }), problem('validation_failed'))).toBeNull();
    expect(judge(invite(), problem('already_member'))).toBeNull();
    expect(
      judge(request({ endpoint: null }), problem('method_not_allowed', {}, { allow: 'GET, HEAD' })),
    ).toBeNull();
  });

  test.each<[string, FuzzRequest, FuzzResponse]>([
    ['an internal error', invite(), problem('internal_error')],
    [
      'an unexpected service_unavailable',
      invite(),
      problem('service_unavailable', {}, { 'retry-after': '1' }),
    ],
    ['a missing request id', request(), success({ headers: { ...headers, 'x-request-id': undefined } })],
    ['a cacheable response', request(), success({ headers: { ...headers, 'cache-control': undefined } })],
    ['an undocumented success status', request(), success({ status: 201 })],
    ['a body that does not match the schema', request({ endpoint: endpoints.getKeyInfo }), success()],
    ['an undocumented content type', request(), success({ headers })],
    ['a body where none is documented', request({ endpoint: endpoints.signOut }), success({ status: 204 })],
    ['a different request id in the body', invite(), problem('already_member', { request_id: 'r2' })],
    ['a code that the endpoint does not document', invite(), problem('claim_closed')],
    ['a status that does not belong to the code', invite(), { ...problem('already_member'), status: 422 }],
    ['an undocumented member', invite(), problem('already_member', { stack: 'at' })],
    ['errors with another code than validation_failed', invite(), problem('already_member', { errors: [] })],
    [
      'an error without a location',
      invite({ mutations: [mutation] }),
      problem('validation_failed', { errors: [{ detail: 'x' }] }),
    ],
    [
      'an error at another location',
      invite({ mutations: [mutation] }),
      problem('validation_failed', { errors: [{ detail: 'x', pointer: '/note' }] }),
    ],
    ['a rejected valid request', invite(), problem('validation_failed')],
    ['an accepted invalid request', invite({ mutations: [mutation] }), success({ status: 201 })],
    ['another code than expected', invite({ codes: ['malformed_request'] }), problem('validation_failed')],
    ['a 401 without WWW-Authenticate', invite(), problem('invalid_key')],
    ['a 405 without Allow', request({ endpoint: null }), problem('method_not_allowed')],
    ['a 429 without Retry-After', invite(), problem('rate_limited')],
    [
      'a duplicate_claim without the existing claim',
      request({ endpoint: endpoints.sendClaim }),
      problem('duplicate_claim'),
    ],
  ])('%s is a finding', (_name, sent, received) => {
    expect(judge(sent, received)).not.toBeNull();
  });

  test('a finding is text of bounded length, however large and deep the request is', () => {
    const body = JSON.stringify({ note: `${'['.repeat(3000)}${']'.repeat(3000)}${'x'.repeat(1_000_000)}` });
    const headers = { authorization: 'Bearer a-secret-of-a-test', 'x-a': 'y'.repeat(7000) };
    const sent = invite({ body, headers, path: `/${'p'.repeat(5000)}`, mutations: [mutation] });
    const finding = describeFinding('x'.repeat(5000), sent, success({ text: 'z'.repeat(5000) }));
    expect(finding.length).toBeLessThan(4000);
    expect(finding).toContain('/svc_id');
    expect(finding).not.toContain('secret');
  });
});

test('the same seed gives the same mutations, and the given body is not changed', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['claim_number'],
    properties: { claim_number: { type: 'string', minLength: 1, maxLength: 100 } },
  };
  const before = JSON.stringify(smallestClaim);
  // As text: comparing objects nested 3,000 levels deep overflows the stack.
  const mutated = (): string[] => {
    const random = seededRandom('a seed');
    return Array.from({ length: 50 }, () => JSON.stringify(mutateBody(smallestClaim, schema, random)));
  };
  expect(mutated()).toEqual(mutated());
  expect(JSON.stringify(smallestClaim)).toBe(before);
});
