import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePointLength, type Endpoint, endpoints, parseRequest, surgeClaim } from '../src/index.ts';
import { valueAt } from '../src/json-pointer.ts';
import { lengthWithin } from '../src/text.ts';
import { errorsOf, type Located, sendClaim, throughJson } from './requests.ts';

// Not fast-check's `unit: 'binary'`: it first builds a map with a million entries.
const anyCharacter = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));
const all: Endpoint[] = Object.values(endpoints);
const anyEndpoint = fc.constantFrom(...all);
const hostileName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a/b', '~', '', '\ud800', '\0'),
  fc.string({ unit: anyCharacter }),
);
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 5, stringUnit: anyCharacter }),
  fc.dictionary(hostileName, fc.jsonValue()),
);

/** A valid claim with some fields replaced, removed or added, as in most real mistakes. */
const mangled = fc
  .array(fc.tuple(fc.constantFrom(...pathsOf(surgeClaim)), fc.option(anyJson, { nil: undefined })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((changes) => {
    const body = throughJson(surgeClaim);
    for (const [path, value] of changes) {
      const holder = valueAt(body, path.slice(0, path.lastIndexOf('/')));
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (typeof holder !== 'object' || holder === null) continue;
      if (value === undefined && Array.isArray(holder)) holder.splice(Number(name), 1);
      else if (value === undefined) Reflect.deleteProperty(holder, name);
      else
        Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
    }
    return body;
  });

function pathsOf(value: unknown, base = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${base}/${name}`,
    ...pathsOf(inner, `${base}/${name}`),
  ]);
}

function hasOnePlace({ pointer, parameter, header, detail }: Located): boolean {
  const places = [pointer, parameter, header].filter((place) => place !== undefined);
  return places.length === 1 && detail.length > 0 && detail.length < 700;
}

/** The pointer leads to a value, or to a missing field of an existing object. */
function leadsSomewhere(body: unknown, { pointer }: Located): boolean {
  if (pointer === undefined || pointer === '') return true;
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  return typeof valueAt(body, parent) === 'object';
}

describe('parsing', () => {
  it('never throws for any JSON, and gives each error one existing location', () => {
    fc.assert(
      fc.property(anyEndpoint, fc.oneof(anyJson, mangled), (endpoint, body) => {
        const errors = errorsOf(parseRequest(endpoint, { body }));
        expect(errors.filter((error) => !hasOnePlace(error) || !leadsSomewhere(body, error))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('never throws for any query, path or header', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: fc.constantFrom(...'%&=+;#?[]/2e0Aé'), maxLength: 30 }),
    );
    const search = fc.oneof(
      text,
      fc
        .array(fc.tuple(fc.constantFrom('limit', 'cursor', 'updated_since', 'external_id', 'x'), text))
        .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&')),
    );
    fc.assert(
      fc.property(anyEndpoint, search, text, (endpoint, search, value) => {
        const result = parseRequest(endpoint, {
          search,
          params: { id: value, svc_id: value, firm_id: value, device_id: value },
          headers: { 'idempotency-key': value },
        });
        expect(errorsOf(result).filter((error) => !hasOnePlace(error))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('reports an invalid value whatever other errors there are', () => {
    fc.assert(
      fc.property(mangled, (body) => {
        const holder = throughJson(body) as Record<string, unknown>;
        holder.claim_number = ' ';
        expect(errorsOf(sendClaim(holder)).map(({ pointer }) => pointer)).toContain('/claim_number');
      }),
    );
  });

  it('counts the length of a text in code points, an unpaired surrogate as one', () => {
    const units = ['a', '🌊', '\ud800', '\udbff', '\udc00', '\udfff', '\ud7ff', '\ue000', '\ud7ff\udc00'];
    const text = fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });
    fc.assert(
      fc.property(text, fc.nat(6), fc.nat(9), (value, min, more) => {
        const { length } = [...value];
        expect(codePointLength(value)).toBe(length);
        expect(lengthWithin(value, min, min + more)).toBe(length >= min && length <= min + more);
      }),
      { numRuns: 1000 },
    );
  });

  it('reads each field of a body a bounded number of times', () => {
    const readsOf = (members: number): number => {
      let reads = 0;
      const counted = <Value extends object>(value: Value): Value =>
        new Proxy(value, {
          get(target, name, receiver) {
            reads++;
            const inner: unknown = Reflect.get(target, name, receiver);
            return typeof inner === 'object' && inner !== null ? counted(inner) : inner;
          },
          has(target, name) {
            reads++;
            return Reflect.has(target, name);
          },
          getOwnPropertyDescriptor(target, name) {
            reads++;
            return Reflect.getOwnPropertyDescriptor(target, name);
          },
        });
      const extra = Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, index]));
      sendClaim(counted({ ...surgeClaim, ...extra }));
      return reads;
    };
    const [none, some, many] = [readsOf(0), readsOf(1_000), readsOf(10_000)];
    expect(none).toBeLessThan(2_000);
    expect(some - none).toBeLessThanOrEqual(4 * 1_000);
    expect(many - none).toBeLessThanOrEqual(4 * 10_000);
  });
});
