import { expect, test } from '@jest/globals';
import { TooManyAttempts, Unavailable } from '@svc/application';
import { DomainError, WorkChanged } from '@svc/domain';
import { asHttpProblem, HttpProblem, problemDocument } from '../src/http/problems/http-problem.ts';

test('the addresses in a problem are below the configured public addresses', () => {
  const existingClaimId = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';
  const addresses = { baseUrl: 'https://claims.example.com/flood', docsUrl: 'https://docs.example.com' };
  const problem = new HttpProblem('duplicate_claim', { existingClaimId });
  expect(problemDocument('request', problem, addresses)).toMatchObject({
    ...{ type: 'https://docs.example.com/errors#duplicate_claim', existing_claim_id: existingClaimId },
    existing_claim_url: `https://claims.example.com/flood/v1/claims/${existingClaimId}`,
  });
  const [extra, work] = [
    { title: 'T', detail: 'D', errors: [{ detail: 'E', pointer: '/a' }] },
    { notes: 'x' },
  ];
  expect(problemDocument('request', new HttpProblem('work_changed', { ...extra, work }), addresses)).toEqual({
    ...{ ...extra, work, status: 409, code: 'work_changed', request_id: 'request' },
    type: 'https://docs.example.com/errors#work_changed',
  });
});

const waits = (seconds: string, detail?: string) => ({ detail, headers: { 'Retry-After': seconds } });
const attempts = 'Too many sign-in attempts.';
const WORK = { contactDate: null, inspectionDate: null, notes: 'x' };
const no = (code: ConstructorParameters<typeof DomainError>[0], claim?: string) =>
  new DomainError(code, 'No.', claim);
const detail = 'No.';
const title = 'Your role does not include the required permission';

test.each<[error: unknown, code: string, extra: object]>([
  [new TooManyAttempts(1), 'rate_limited', waits('1', attempts)],
  [new TooManyAttempts(1000), 'rate_limited', waits('1', attempts)],
  [new TooManyAttempts(1001), 'rate_limited', waits('2', attempts)],
  [new TooManyAttempts(2400, detail), 'rate_limited', waits('3', detail)],
  [new Unavailable('At db-1.'), 'service_unavailable', { ...waits('1'), unavailable: 'other' }],
  [new Unavailable(detail, 'clock'), 'service_unavailable', { ...waits('1', detail), unavailable: 'clock' }],
  [no('unknown_svcid'), 'unknown_osaid', { detail }],
  [no('sign_in_refused'), 'invalid_sign_in', { detail }],
  [no('account_removed'), 'invalid_session', { detail }],
  [no('missing_permission'), 'insufficient_scope', { detail, title }],
  [no('insufficient_scope'), 'insufficient_scope', { detail }],
  [no('duplicate_claim', 'c'), 'duplicate_claim', { detail, existingClaimId: 'c' }],
  [
    new WorkChanged(WORK),
    'work_changed',
    { detail: expect.any(String), work: { version: expect.any(String), notes: 'x' } },
  ],
  [no('too_many_keys'), 'validation_failed', { detail, errors: [{ detail, pointer: '' }] }],
  [new Error('password'), 'internal_error', {}],
  ['password', 'internal_error', {}],
])('%j is sent as %s', (error, code, extra) => {
  const problem = asHttpProblem(error);
  expect([problem.code, problem.extra]).toEqual([code, extra]);
});
