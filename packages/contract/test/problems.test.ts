import { describe, expect, it } from '@jest/globals';
import {
  ERROR_CODES,
  ERRORS,
  EXAMPLE_PROBLEM,
  formatSize,
  makeProblem,
  problemSchema,
} from '../src/index.ts';
import { validationSummary } from '../src/problems.ts';

const context = { docsUrl: 'https://svc.example/docs', requestId: 'r-1' };

describe('the errors', () => {
  it('have these statuses', () => {
    const found = Object.fromEntries(
      ERROR_CODES.map((code) => ERRORS[code].status).map((status) => [
        status,
        ERROR_CODES.filter((code) => ERRORS[code].status === status),
      ]),
    );
    const words = (text: string): string[] => text.split(/\s+/);
    expect(found).toEqual({
      400: ['malformed_request'],
      401: words('invalid_key invalid_session invalid_sign_in code_not_requested'),
      403: words('insufficient_scope not_in_plan passkey_required'),
      404: ['not_found'],
      405: ['method_not_allowed'],
      408: ['request_timeout'],
      409: words(`duplicate_claim claim_already_accepted claim_changed clocks_changed claim_closed already_member
        invitation_pending offer_not_pending work_changed credentials_changed profile_incomplete too_many_passkeys last_admin`),
      413: ['payload_too_large'],
      422: words(`validation_failed idempotency_key_reused unknown_osaid adjuster_not_in_firm adjuster_not_accepting
        environment_mismatch`),
      429: ['rate_limited'],
      431: ['headers_too_large'],
      500: ['internal_error'],
      503: ['service_unavailable'],
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

  it('has the title, the detail, the errors, the entries and the existing claim of the occurrence', () => {
    const errors = [{ detail: 'Must be a UUID.', parameter: 'id' }];
    const own = { title: 'T', detail: 'One.', errors, work: { version: 'v' } };
    const general = makeProblem('duplicate_claim', context);
    expect(makeProblem('duplicate_claim', { ...context, ...own })).toEqual({ ...general, ...own });
    const existingClaim = { id: 'i', url: 'https://svc.example/v1/claims/i' };
    expect(makeProblem('duplicate_claim', { ...context, existingClaim })).toEqual({
      ...{ ...general, existing_claim_id: 'i', existing_claim_url: existingClaim.url },
    });
  });

  it('names sizes in the larger unit from one megabyte on', () => {
    const sizes = [512, 4096, 2 ** 20 - 1024, 2 ** 20, 2.5 * 2 ** 20].map(formatSize);
    expect(sizes).toEqual(['0.5 kB', '4 kB', '1023 kB', '1 MB', '2.5 MB']);
  });

  it('of a request says how many errors it has, and how many are not listed', () => {
    const counts = [validationSummary(1, 1), validationSummary(3, 3), validationSummary(9, 7)];
    expect([...counts, validationSummary(250, 100)]).toEqual([
      '1 validation error.',
      '3 validation errors.',
      '9 validation errors. The first 7 are listed; there are 2 more.',
      '250 validation errors. The first 100 are listed; there are 150 more.',
    ]);
  });

  it('with an unknown code and unknown fields is still valid for clients', () => {
    const later = { ...makeProblem('not_found', context), code: 'gone_fishing', season: 'summer' };
    expect(problemSchema.parse(later)).toEqual(later);
    expect(problemSchema.parse(EXAMPLE_PROBLEM)).toEqual(EXAMPLE_PROBLEM);
  });
});
