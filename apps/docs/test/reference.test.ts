import { expect, test } from '@jest/globals';
import { errorEntries, errorTable, operationsTagged } from '../src/generated.ts';

const ADDRESSES = { baseUrl: 'https://x.test', docsUrl: 'https://x.test/docs', supportEmail: 'a@x.test' };
const [claims, adjusters, health, sandbox, app] = [
  ...['Claims', 'Adjusters', 'Key and health', 'Sandbox'].map((tag) => operationsTagged(tag)(ADDRESSES)),
  operationsTagged('Adjuster app', 'app')(ADDRESSES),
];

test.each([
  [claims, '| `external_id` | string, 1 to 100 characters, required | '],
  [claims, '| `loss.date` | date, required | '],
  [claims, '| `loss.date` | date | '],
  [claims, '| `building.flood_zone` | one of [72 values](/flood.md) | '],
  [claims, '| `estimate.overhead_rate` | number, 0 to 1 | '],
  [claims, '| `additional_contacts[].first_name` | string, 1 to 100 characters | '],
  [claims, '| `limit` | query | integer, 1 to 200 | '],
  [claims, '| `id` | path, required | uuid | '],
  [claims, '| `Idempotency-Key` | header, required | string, 1 to 255 characters | '],
  [claims, '`201` The claim; its assignment is pending_acceptance. Returns [Claim](#Claim).'],
  [claims, 'Authentication: `Authorization: Bearer` and an API key. Scope: `claims:create`.'],
  [claims, '  -H "Idempotency-Key: '],
  [claims, 'curl "https://x.test/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10" \\\n  -H "Authorization'],
  [adjusters, '/SVC-7F3K-Delacroix" \\\n  -X DELETE \\\n'],
  [health, 'Authentication: none. Scope: none.'],
  [health, 'response = requests.get(\n    "https://x.test/v1/health",\n)'],
  [sandbox, '  -X PUT \\\n'],
  [app, 'Authentication: `Authorization: Bearer` and a session token of the app. Scope: none.'],
  [app, '-H "Authorization: Bearer $SESSION"'],
])('the reference says what the contract has: case %#', (page, line) => {
  expect(page).toContain(line);
});

test('each error says which operations return it, and those of the app come last', () => {
  const returned = Object.fromEntries(
    errorEntries(ADDRESSES)
      .split(/^## /m)
      .map((entry) => [entry.split('\n')[0] ?? '', /\*\*Returned by\*\* (.*)/.exec(entry)?.[1]]),
  );
  expect(returned).toMatchObject({
    invalid_key: 'every operation that needs a key.',
    validation_failed: 'every operation.',
    duplicate_claim: '`POST /v1/claims`.',
    invalid_session: 'the adjuster app only.',
    method_not_allowed: 'any request.',
  });
  const isOfApp = errorTable(ADDRESSES)
    .split('\n')
    .map((row) => row.endsWith(' (adjuster app) |'));
  expect(isOfApp).toEqual(isOfApp.toSorted((one, other) => Number(one) - Number(other)));
  expect(isOfApp.at(-1)).toBe(true);
});
