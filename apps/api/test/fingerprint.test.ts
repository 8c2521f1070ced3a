import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { requestFingerprint } from '../src/http/pipeline/fingerprint.ts';

const of = (
  body: unknown,
  method: 'POST' | 'PUT' = 'POST',
  path: `/${string}` = '/v1/claims',
  params: Record<string, string> = {},
): string => requestFingerprint({ method, path }, params, body);
const ofText = (json: string): string => of(JSON.parse(json));

/** The same value with the members of every object in reverse order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  const turned = Object.entries(value).reverse();
  return Object.fromEntries(turned.map(([name, member]) => [name, shuffled(member)]));
}

test('the fingerprint does not depend on the order of fields, at any depth', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(of(shuffled(value))).toBe(of(value));
    }),
  );
});

test('different values have different fingerprints, which are SHA-256 hashes', () => {
  const prints =
    '{}|[]|""|0|null|false|{"a":1}|{"a":"1"}|{"a":null}|{"a":[1]}|{"a":{}}|{"a":1.01}|{"A":1}|{"a":"x"}|{"a":"x "}|{"a":"X"}|{"a":[1,2]}|{"a":[2,1]}|{"__proto__":1}'
      .split('|')
      .map(ofText);
  expect(new Set(prints).size).toBe(prints.length);
  expect(prints[0]).toMatch(/^[0-9a-f]{64}$/);
});

test('the fingerprint covers method, path and parameters unambiguously', () => {
  const prints = [
    of({}, 'POST', '/v1/claims'),
    of({}, 'POST', '/v1/claims/x/assignment'),
    of({}, 'PUT', '/v1/claims'),
    of({}, 'POST', '/v1/claims\n{}'),
    of('{}', 'POST', '/v1/claims'),
    of({}, 'POST', '/v1/claims/{id}', { id: 'a' }),
    of({}, 'POST', '/v1/claims/{id}', { id: 'b' }),
    of({}, 'POST', '/v1/claims/{id}', { id: 'a/assignment' }),
    ...['a', 'b'].map((id) => of({}, 'POST', '/v1/claims/{id}/assignment', { id })),
  ];
  expect(new Set(prints).size).toBe(prints.length);
});
