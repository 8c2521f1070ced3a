import { describe, expect, it } from '@jest/globals';
import { surgeClaim } from '@svc/contract';
import fc from 'fast-check';
import { hasContentOf, idempotencyKeyOf } from '../src/send/same-content.ts';
import { claimAnswer } from './environment.ts';

const objects = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, unknown>>;

/** The same value with the fields of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe('the idempotency key of a line', () => {
  it('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(objects, (claim) => {
        const wire = JSON.parse(JSON.stringify(claim));
        expect(idempotencyKeyOf(reversed(wire) as Record<string, unknown>)).toBe(idempotencyKeyOf(wire));
      }),
    );
  });

  it('changes with any value', () => {
    fc.assert(
      fc.property(objects, objects, (one, other) => {
        const [a, b] = [one, other].map((value) => JSON.parse(JSON.stringify(value)));
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(idempotencyKeyOf(a) === idempotencyKeyOf(b)).toBe(same);
      }),
    );
    expect(idempotencyKeyOf({ a: [1, 2] })).not.toBe(idempotencyKeyOf({ a: [2, 1] }));
    expect(idempotencyKeyOf({ a: '1' })).not.toBe(idempotencyKeyOf({ a: 1 }));
    expect(idempotencyKeyOf({ a: null })).not.toBe(idempotencyKeyOf({}));
  });

  it('is a valid header value', () => {
    expect(idempotencyKeyOf(surgeClaim)).toMatch(/^claims-[0-9a-f]{64}$/);
  });
});

describe('a stored claim', () => {
  const { adjuster_svc_id, ...fields } = surgeClaim;

  it('matches the one in the file whatever its adjuster and added fields', () => {
    const held = claimAnswer({ ...fields, priority: 'high' }, { adjuster_svc_id: 'somebody else' });
    expect(hasContentOf(held, surgeClaim)).toBe(true);
    const { peril, ...loss } = surgeClaim.loss;
    expect(hasContentOf(held, { ...surgeClaim, loss })).toBe(true);
  });

  it.each([
    ['another value', { claim_number: 'other' }],
    ['another value deep inside', { loss: { ...surgeClaim.loss, date: '2026-08-26' } }],
    ['another contact', { additional_contacts: [...surgeClaim.additional_contacts, { company_name: 'X' }] }],
    ['a field more', { file_number_2: 'x' }],
    ['an object where there was none', { claim_number: { a: 1 } }],
  ])('does not match the one in the file with %s', (_, change) => {
    expect(hasContentOf(claimAnswer(fields), { ...surgeClaim, ...change })).toBe(false);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => ({ name, member }));
}
