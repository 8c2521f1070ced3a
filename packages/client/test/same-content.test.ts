import { describe, expect, it } from '@jest/globals';
import { EXAMPLES, endpoints, smallestClaim, surgeClaim } from '@svc/contract';
import fc from 'fast-check';
import { contentKey, hasContentOf } from '../src/index.ts';

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

describe('an idempotency key derived from the content', () => {
  it('does not depend on the order of fields, or on undefined ones', async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (claim) => {
        const sent = JSON.parse(JSON.stringify(claim));
        const reordered = { ...(reversed(sent) as object), ' unknown': undefined };
        expect(await contentKey(reordered)).toBe(await contentKey(sent));
      }),
    );
  });

  it('changes with any value', async () => {
    expect(await contentKey({ a: { b: 1 } })).not.toBe(await contentKey({ a: { b: 2 } }));
    expect(await contentKey({ a: [1, 2] })).not.toBe(await contentKey({ a: [2, 1] }));
    expect(await contentKey({ a: '1' })).not.toBe(await contentKey({ a: 1 }));
    expect(await contentKey({ a: null })).not.toBe(await contentKey({}));
  });

  it('is a valid header value, the same in every version: a file may be sent again with a later one', async () => {
    expect(await contentKey({ b: [1, null], B: 0, a: { d: 'ü', c: true } })).toBe(
      'claims-f7d1281f31f062245cac0194c9e782939dbf5778dba5eb3d2d85cfc320724367',
    );
  });
});

describe('a stored claim', () => {
  const { adjuster_svc_id, ...fields } = surgeClaim;
  const stored = (changes: object = {}, assignment: object = {}) => {
    const example = EXAMPLES.getClaim.response as { readonly id: string; readonly assignment: object };
    return {
      id: example.id,
      test: true,
      ...fields,
      ...changes,
      assignment: { ...example.assignment, ...assignment },
    };
  };

  it('matches a sent claim despite another adjuster and added fields', () => {
    const storedClaim = stored({ priority: 'high' }, { adjuster_svc_id: 'somebody else' });
    expect(hasContentOf(storedClaim, surgeClaim)).toBe(true);
    const { peril, ...loss } = surgeClaim.loss;
    expect(hasContentOf(storedClaim, { ...surgeClaim, loss })).toBe(true);
  });

  const inspected = { inspection_date: '2026-09-01' };
  const optional = Object.keys(endpoints.sendClaim.body.shape).filter((name) => !(name in smallestClaim));

  it.each([
    ...optional.map((name): [string, object] => [name, { [name]: undefined }]),
    ['a field of an object', { loss: { ...surgeClaim.loss, cat_code: undefined } }],
    ['a contact', { additional_contacts: surgeClaim.additional_contacts.slice(1) }],
  ])('does not match a claim from which %s was removed since', (_, removed) => {
    expect(hasContentOf(stored(inspected), { ...surgeClaim, ...inspected, ...removed })).toBe(false);
  });

  it.each([
    ['another value', { claim_number: 'other' }],
    ['another nested value', { loss: { ...surgeClaim.loss, date: '2026-08-26' } }],
    ['another contact', { additional_contacts: [...surgeClaim.additional_contacts, { company_name: 'X' }] }],
    ['an additional field', { file_number_2: 'x' }],
    ['an object where there was none', { claim_number: { a: 1 } }],
  ])('does not match a sent claim with %s', (_, change) => {
    expect(hasContentOf(stored(), { ...surgeClaim, ...change })).toBe(false);
  });
});
