import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RELEASES } from '@svc/contract';
import { changelogEntries, changelogFeed } from '../src/changelog.ts';
import { postmanCollection } from '../src/collection.ts';
import { errorEntries, errorTable, operationsTagged, operationTable, scopeTable } from '../src/generated.ts';
import { fillPlaceholders } from '../src/values.ts';

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
  [sandbox, 'Scope: `claims:write`. Since version 1.1.0.'],
  [claims, 'Returns `data`, an array of [Claim](#Claim), and `next_cursor`: send it as `cursor`'],
  [claims, '| 401 | [`invalid_key`](/errors.md#invalid_key) | '],
  [scopeTable(ADDRESSES), '| any key | [Check a key](/reference/key-and-health.md#getKeyInfo) |'],
  [scopeTable(ADDRESSES), '| `claims:create` | [Send a claim](/reference/claims.md#sendClaim) |'],
  [
    operationTable(ADDRESSES),
    '| [`GET /v1/health`](/reference/key-and-health.md#getHealth) | Check the service | none |',
  ],
])('the reference says what the contract has: case %#', (page, line) => {
  expect(page).toContain(line);
});

test('an operation without a key, one with a body, and an object are shown whole', () => {
  const entries = [adjusters, health, app].flatMap((page) => page?.split(/\n\n(?=## )/) ?? []);
  const shown = entries.filter((entry) => /^## .* \{#(Adjuster|getHealth|updateAvailability)\}/.test(entry));
  const file = readFileSync(new URL('reference.txt', import.meta.url), 'utf8');
  expect(`${shown.join('\n\n')}\n`).toBe(file);
});

test('a page has the values of the contract and the addresses of the service, and no other placeholder', () => {
  const filled = (text: string) => fillPlaceholders(text.replace(/\S+/g, '{{$&}}'), ADDRESSES);
  const numbers = 'bodyMegabytes pageMegabytes toolPageKilobytes messageKilobytes openBodyKilobytes';
  const counts = 'smallChunkKilobytes rejectedOf25 pairs pairsAccepted zoneCount stateCount';
  const derived = `${numbers} ${counts} statusOfSending statusOfOffering`.replace(/\S+/g, 'derived.$&');
  expect(filled(derived)).toBe('1 2 256 384 4 64 5 189 93 72 56 201 200');
  const others =
    'baseUrl supportEmail limits.amount.max edge.perMinute derived.writeMethods lists.keyedTools';
  expect(filled(others)).toBe(
    'https://x.test a@x.test 9,999,999,999.99 600 `POST`, `DELETE`, `PUT` `sendClaim`, `offerClaim`',
  );
  expect(() => filled('limits.pages')).toThrow('the unknown placeholder {{limits.pages}}');
});

test('each error says which operations return it, and those of the app and the desk come last', () => {
  const returned = Object.fromEntries(
    errorEntries(ADDRESSES)
      .split(/^## /m)
      .map((entry) => [entry.split('\n')[0] ?? '', /\*\*Returned by\*\* (.*)/.exec(entry)?.[1]]),
  );
  expect(returned).toMatchObject({
    invalid_key: 'every operation that needs a key.',
    validation_failed: 'every operation.',
    duplicate_claim: '`POST /v1/claims`.',
    work_changed: 'the adjuster app only.',
    claim_changed: "the firm's desk only.",
    offer_not_pending: "the [sandbox](/reference/sandbox.md), the adjuster app, and the firm's desk only.",
    claim_closed: '`POST /v1/claims/{id}/assignment`.',
  });
  const ofAny = Object.entries(returned).flatMap(([code, by]) => (by === 'any request.' ? [code] : []));
  expect(ofAny).toEqual(['method_not_allowed', 'request_timeout', 'headers_too_large']);
  const isOfPeople = errorTable(ADDRESSES)
    .split('\n')
    .map((row) => / \((adjuster app|firm's desk|adjuster app, firm's desk)\) \|$/.test(row));
  expect(isOfPeople).toEqual(isOfPeople.toSorted((one, other) => Number(one) - Number(other)));
  expect(isOfPeople.at(-1)).toBe(true);
});

test('the changelog and its feed have each release with its date, its changes and its operations, in plain text in the feed', () => {
  const feed = changelogFeed({ ...ADDRESSES, supportEmail: 'a&"<@x.test' });
  const all = (pattern: RegExp) => [...feed.matchAll(pattern)].map(([, text]) => text);
  const dates = RELEASES.map(({ date }) => `${date}T00:00:00Z`);
  const links = RELEASES.map(
    ({ version }) => `https://x.test/docs/changelog#_${version.replaceAll('.', '-')}`,
  );
  expect([all(/<updated>([^<]*)</g), all(/<email>([^<]*)</g)]).toEqual([
    [dates[0], ...dates],
    ['a&#38;&#34;&#60;@x.test'],
  ]);
  expect([all(/<id>([^<]*)</g), all(/<link href="(.*)"/g), all(/<title>([^<]*)</g).slice(1)]).toEqual([
    ['https://x.test/docs/changelog.xml', ...links],
    ['https://x.test/docs/changelog', ...links],
    RELEASES.map(({ version }) => version),
  ]);
  const contents = all(/<content type="text">([^<]*)</g);
  expect(contents.map((text) => text?.split('\n').length)).toEqual([5, 10, 7]);
  expect(contents[0]).toMatch(
    /^Additions only.*\n- Receipts: signed[^`[]*\n- New operations: Get a receipt of the latest offer, Check your integration$/s,
  );
  expect(changelogEntries(ADDRESSES)).toMatch(
    /^## 1\.2\.0\n\n_2026-11-26_\. Additions only[^#]*- New operations: \[Get a receipt of the latest offer\]\(\/reference\/claims\.md#getReceipt\), .*\n\n## 1\.1\.0\n/,
  );
});

test('the collection has each operation with its headers, its filters off, and the variables of the reader', () => {
  const { item, variable } = JSON.parse(postmanCollection(ADDRESSES));
  expect(variable[0]).toEqual({ key: 'baseUrl', value: 'https://x.test' });
  const shown = item.map(({ name, item: requests }: { name: string; item: { request: object }[] }) => [
    `${name}: ${requests.length}`,
    ...requests.slice(0, 2).map(({ request }) => {
      const { method, url, header, body, auth } = Object(request);
      const pairs = [...(url.query ?? []), ...(url.variable ?? [])].map(
        ({ key, disabled }: { key: string; disabled?: boolean }) => `${key}${disabled ? '-' : '+'}`,
      );
      const names = header.map(({ key, value }: { key: string; value: string }) => `${key}: ${value}`);
      return [method, url.raw, ...pairs, ...names, auth?.type, body?.raw.match(/\{\{.*?\}\}/g)?.join('')]
        .join(' ')
        .trim();
    }),
  ]);
  expect(shown).toEqual([
    [
      'Claims: 5',
      'GET {{baseUrl}}/v1/claims updated_since- assignment_status- external_id- limit+ cursor-',
      'POST {{baseUrl}}/v1/claims Idempotency-Key: {{$guid}} Content-Type: application/json  {{$guid}}{{$guid}}{{adjuster}}',
    ],
    [
      'Adjusters: 3',
      'POST {{baseUrl}}/v1/adjusters/invitations Content-Type: application/json  {{adjuster}}',
      'GET {{baseUrl}}/v1/adjusters limit+ cursor-',
    ],
    ['Key and health: 2', 'GET {{baseUrl}}/v1/me', 'GET {{baseUrl}}/v1/health noauth'],
    [
      'Sandbox (test keys only): 14',
      'POST {{baseUrl}}/v1/test/claims/:id/acceptance id+',
      'POST {{baseUrl}}/v1/test/claims/:id/rejection id+ Content-Type: application/json',
    ],
  ]);
});
