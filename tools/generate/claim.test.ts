import { expect, test } from '@jest/globals';
import { endpoints, parseRequest } from '@svc/contract';
import fc from 'fast-check';
import { generateClaim } from './claim.ts';

test('a generated claim is valid for any index and seed, and depends on nothing else', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (index, seed) => {
      const body = generateClaim(index, seed, 'SVC-X');
      const parsed = parseRequest(endpoints.sendClaim, { headers: { 'idempotency-key': 'k' }, body });
      expect(parsed).toMatchObject({ ok: true });
      expect(body.adjuster_svc_id).toBe('SVC-X');
      generateClaim(0, seed);
      expect(generateClaim(index, seed, 'SVC-X')).toEqual(body);
    }),
  );
});

test('external ids and claim numbers are unique within and across seeds', () => {
  const claims = [0, 1, 11, 111].flatMap((seed) =>
    Array.from({ length: 500 }, (_, n) => generateClaim(n, seed)),
  );
  for (const name of ['external_id', 'claim_number'] as const)
    expect(new Set(claims.map((claim) => claim[name])).size).toBe(2_000);
});

test('phones are reserved for fiction, and emails use example.com', () => {
  const text = JSON.stringify(Array.from({ length: 500 }, (_, n) => generateClaim(n, 7)));
  const phones = [...text.matchAll(/"(?:alternate_)?phone":"([^"]+)"/g)].map(([, phone]) => phone);
  expect(phones.filter((phone) => !/^\d{3}-555-01\d\d$/.test(phone ?? ''))).toEqual([]);
  expect(text.match(/"email":"(?![^"]*example\.com")/)).toBeNull();
});
