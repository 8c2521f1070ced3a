import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { changelogEntries, changelogFeed } from '../src/changelog.ts';
import { postmanCollection } from '../src/collection.ts';
import {
  errorEntries,
  errorTable,
  operationsTagged,
  operationTable,
  packageTable,
} from '../src/generated.ts';
import { inlineHashes } from '../src/inline-hashes.ts';
import { asMarkdown, llmsTxt } from '../src/markdown.ts';
import { fillPlaceholders } from '../src/values.ts';

const ADDRESSES = { baseUrl: 'https://x.test', docsUrl: 'https://x.test/docs', supportEmail: 'a@x.test' };
const [claims, adjusters, health, sandbox, app] = [
  ...['Claims', 'Adjusters', 'Key and health', 'Sandbox'].map((tag) => operationsTagged(tag)(ADDRESSES)),
  operationsTagged('Adjuster app', 'app')(ADDRESSES),
];
const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

test.each([
  [claims, '| `loss.date` | date, required | '],
  [claims, '| `loss.date` | date | '],
  [claims, '| `building.flood_zone` | one of [72 values](/flood.md) | '],
  [claims, '| `estimate.overhead_rate` | number, 0 to 1 | '],
  [claims, '| `additional_contacts[].first_name` | string, 1 to 100 characters | '],
  [claims, '| `limit` | query | integer, 1 to 200 | '],
  [sandbox, '| `checks[].check` | `idempotency_keys` `lost_writes` '],
  [health, '| `firm` | object | The firm the key belongs to. |'],
  [app, '"accepting_assignments": False\n'],
  [app, '"expirationTime": None,\n'],
  [claims, 'Returns `data`, an array of [Claim](#Claim), and `next_cursor`: send it as `cursor`'],
  [
    operationTable(ADDRESSES),
    '| [`GET /v1/health`](/reference/key-and-health.md#getHealth) | Check the service | none |',
  ],
])('the reference says what the contract has: case %#', (page, line) => {
  expect(page).toContain(line);
});

test('an operation without a key, one with a body, one with a header, an object and an error are shown whole', () => {
  const pages = [claims, adjusters, health, sandbox, app, errorEntries(ADDRESSES)];
  const entries = pages.flatMap((page) => page?.split(/\n\n(?=## )/) ?? []);
  const chosen =
    /^## (malformed_request|.* \{#(Adjuster|getHealth|updateAvailability|offerClaim|acceptTestClaim)\})$/m;
  expect(`${entries.filter((entry) => chosen.test(entry)).join('\n\n')}\n`).toBe(textOf('reference.txt'));
});

test('a page has the values of the contract, the addresses of the service and each list, and no other placeholder', () => {
  const filled = (name: string) => fillPlaceholders(`{{${name}}}`, ADDRESSES).replace(/\s+/g, ' ');
  const values = textOf('values.txt');
  const now = values.replace(
    /^(\S+): .*$/gm,
    (_, name: string) => `${name}: ${filled(name).slice(0, 900).trim()}`,
  );
  expect(now).toBe(values);
  const help = filled('desk.help');
  expect(help).toContain(' When something is wrong: - **A claim is missing**: look under Show ');
  expect(help).not.toContain('(/desk.md)');
  const programs = fillPlaceholders('{{programs}}\n{{receivers}}', ADDRESSES);
  const starts = programs.matchAll(/^```(\w.*)\n\W*(\w+)[\s\S]*?(Python|Node|Java|\.NET) \d/gm);
  const inFour = 'python [Python] _ Python;ts [TypeScript] _ Node;java [Java] _ Java;csharp [C#] _ .NET';
  expect([...starts].map(([, ...parts]) => parts.join(' '))).toEqual(
    ['Sends', 'Receives'].flatMap((does) => inFour.replaceAll('_', does).split(';')),
  );
  expect(now.match(/^(derived|lists)[.]/gm)?.length).toBe(24);
  expect(() => filled('limits.pages')).toThrow('the unknown placeholder {{limits.pages}}');
});

test('a package is listed with its address and its digest', () => {
  const one = { name: '@svc/client', version: '1.2.0', description: 'D.', file: 'c.tgz', sha256: 'ab' };
  const row = '| [`@svc/client` 1.2.0](https://x.test/docs/packages/c.tgz) | D. | `ab` |';
  expect(
    packageTable(ADDRESSES, [{ ...one, key: 'client' }])
      .split('\n')
      .slice(2),
  ).toEqual([row]);
});

test('each inline script and style of the pages has one hash, and a script of a file has none', () => {
  const pages = [
    '<script>a()\n</script><p style="color:red"><script src="/x.js">c()</script>',
    '<script type="module">b()</script><script>a()\n</script>',
  ];
  expect(inlineHashes(pages)).toEqual({
    scripts: [
      '78Mb6dlYKSr4lLcPgR39KSZyUZtZQimBNqLd+C3BhA4=',
      'cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc=',
    ].map((hash) => `'sha256-${hash}'`),
    styles: ["'sha256-8f935d27GvUutRyY9yWScUMiFUk4WTdZURISiYfPOeQ='"],
  });
});

test('programs find each page with its description, and a page without what only its site knows', () => {
  const page =
    '# Title {#top}\n\n::: tip\nSee [a](#b-c), [b](/reference/claims.md#d), [c](keys.md) and [d](https://e.test/f.md).\n\n:::\n\n## B {#b-c}\n';
  expect(`${llmsTxt(ADDRESSES)}\n${asMarkdown('limits.md', page, ADDRESSES)}`).toBe(textOf('markdown.txt'));
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
  for (const code of ['GET /v1/adjusters', 'Retry-After', 'Authorization: Bearer'])
    expect(errorEntries(ADDRESSES)).toContain(` \`${code}\``);
  const isOfPeople = errorTable(ADDRESSES)
    .split('\n')
    .map((row) => / \((adjuster app|firm's desk|adjuster app, firm's desk)\) \|$/.test(row));
  expect(isOfPeople).toEqual(isOfPeople.toSorted((one, other) => Number(one) - Number(other)));
  expect(isOfPeople.at(-1)).toBe(true);
});

test('the changelog and its feed have each release with its date, its changes and its operations, in plain text in the feed', () => {
  expect(changelogFeed({ ...ADDRESSES, supportEmail: 'a&"<@x.test' })).toBe(textOf('changelog.txt'));
  expect(changelogEntries(ADDRESSES)).toMatch(
    /^## 1\.2\.0\n\n_2026-11-26_\. Additions only[^#]*- New operations: \[Get a receipt of the latest offer\]\(\/reference\/claims\.md#getReceipt\), .*\n\n## 1\.1\.0\n/,
  );
});

test('the collection has each operation with its headers, its filters off, and the variables of the reader', () => {
  const { item, ...collection } = JSON.parse(postmanCollection(ADDRESSES));
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
  const description = 'Set the variables apiKey, adjuster and claimId. Documentation: https://x.test/docs';
  expect(collection).toEqual({
    info: { name: 'Claim assignment', description, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: ['baseUrl', 'apiKey', 'adjuster', 'claimId'].map((key) => ({
      ...{ key, value: key === 'baseUrl' ? 'https://x.test' : '' },
    })),
  });
  const shown = item.map(({ name, item: requests }: { name: string; item: { request: object }[] }) => [
    `# ${name}: ${requests.length}`,
    ...requests.slice(0, 3).map((request) => JSON.stringify(request).replace(/\s*\\n\s*/g, ' ')),
  ]);
  expect(`${shown.flat().join('\n')}\n`).toBe(textOf('collection.txt'));
});
