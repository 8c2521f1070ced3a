import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, ERRORS, EXAMPLE_PROBLEM, makeProblem, problemSchema } from '../src/index.ts';

const context = { docsUrl: 'https://svc.example/docs', requestId: 'r-1' };

describe('the errors', () => {
  it('have the statuses of the interface', () => {
    expect(Object.fromEntries(ERROR_CODES.map((code) => [code, ERRORS[code].status]))).toEqual({
      malformed_request: 400,
      invalid_key: 401,
      invalid_session: 401,
      invalid_sign_in: 401,
      code_not_requested: 401,
      passkey_required: 403,
      too_many_passkeys: 409,
      insufficient_scope: 403,
      not_in_plan: 403,
      not_found: 404,
      method_not_allowed: 405,
      request_timeout: 408,
      duplicate_claim: 409,
      claim_already_accepted: 409,
      claim_closed: 409,
      claim_changed: 409,
      already_member: 409,
      invitation_pending: 409,
      last_admin: 409,
      offer_not_pending: 409,
      work_changed: 409,
      profile_incomplete: 409,
      payload_too_large: 413,
      validation_failed: 422,
      idempotency_key_reused: 422,
      unknown_osaid: 422,
      adjuster_not_in_firm: 422,
      adjuster_not_accepting: 422,
      environment_mismatch: 422,
      rate_limited: 429,
      headers_too_large: 431,
      internal_error: 500,
      service_unavailable: 503,
    });
  });

  it.each(ERROR_CODES)('%s has a title, a cause and a fix', (code) => {
    const { title, cause, fix } = ERRORS[code];
    expect(title).not.toMatch(/\.$/);
    expect(cause).toMatch(/^[A-Z].{20,}\.$/s);
    expect(fix).toMatch(/^[A-Z].{15,}\.$/s);
  });
});

describe('a problem', () => {
  it.each(ERROR_CODES)('of %s matches the schema for clients', (code) => {
    const problem = makeProblem(code, context);
    expect(problemSchema.parse(problem)).toEqual(problem);
    expect(problem).toEqual({
      type: `https://svc.example/docs/errors#${code}`,
      title: ERRORS[code].title,
      status: ERRORS[code].status,
      detail: ERRORS[code].cause,
      code,
      request_id: 'r-1',
    });
  });

  it('has the detail, the errors and the existing claim of the occurrence', () => {
    const errors = [{ detail: 'Must be a UUID.', parameter: 'id' }];
    expect(makeProblem('validation_failed', { ...context, detail: 'One.', errors })).toMatchObject({
      detail: 'One.',
      errors,
    });
    expect(
      makeProblem('duplicate_claim', {
        ...context,
        existingClaim: { id: 'i', url: 'https://svc.example/v1/claims/i' },
      }),
    ).toMatchObject({ existing_claim_id: 'i', existing_claim_url: 'https://svc.example/v1/claims/i' });
  });

  it('with an unknown code and unknown fields is still valid for clients', () => {
    const later = { ...makeProblem('not_found', context), code: 'gone_fishing', season: 'summer' };
    expect(problemSchema.parse(later)).toEqual(later);
    expect(problemSchema.parse(EXAMPLE_PROBLEM)).toEqual(EXAMPLE_PROBLEM);
  });
});
