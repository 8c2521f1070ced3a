import { readFileSync } from 'node:fs';
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

it('each error has its status, title, cause and fix', () => {
  const found = ERROR_CODES.map((code) => {
    const { status, title, cause, fix } = ERRORS[code];
    return `${status} ${code}: ${title} | ${cause} | ${fix}`;
  });
  const file = readFileSync(new URL('errors.txt', import.meta.url), 'utf8');
  expect(found).toEqual(file.trim().split('\n'));
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
