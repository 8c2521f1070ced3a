import { expect, test } from '@jest/globals';
import {
  type Endpoint,
  ERROR_CODES,
  ERRORS,
  EXAMPLES,
  endpoints,
  exampleProblem,
  openApiDocument,
  parseRequest,
  problemSchema,
} from '../src/index.ts';

const ADDRESSES = { baseUrl: 'https://claims.example.com', docsUrl: 'https://claims.example.com/docs' };
// biome-ignore lint/suspicious/noExplicitAny: read as JSON
const document = openApiDocument({ ...ADDRESSES, version: '1.2.3' }) as any;
const all = Object.values(endpoints) as readonly Endpoint[];

const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    // biome-ignore lint/suspicious/noExplicitAny: read as JSON
    operation: operation as any,
  })),
);

test('every operation of the contract is in the document, and nothing else', () => {
  expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    all.map(({ path, method }) => `${method} ${path}`).sort(),
  );
});

test('an operation shows each problem it can answer with, under its status, with an example of that very code', () => {
  for (const endpoint of all) {
    const { responses } = document.paths[endpoint.path][endpoint.method.toLowerCase()];
    for (const code of endpoint.problems) {
      const shown = responses[ERRORS[code].status].content['application/problem+json'].examples[code].value;
      expect(shown).toMatchObject({
        code,
        status: ERRORS[code].status,
        type: `${ADDRESSES.docsUrl}/errors#${code}`,
      });
    }
    expect(responses[endpoint.success.status]).toBeDefined();
    expect(responses.default).toBeDefined();
  }
});

test('every answer carries X-Request-Id, a refused key WWW-Authenticate, and a wait Retry-After', () => {
  for (const { operation } of operations) {
    for (const [status, { headers }] of Object.entries<{ headers: object }>(operation.responses)) {
      const names = Object.keys(headers);
      expect(names).toContain('X-Request-Id');
      if (status === '401') expect(names).toContain('WWW-Authenticate');
      if (status === '429' || status === '503') expect(names).toContain('Retry-After');
    }
  }
});

test('an operation names its security, its scope, and its idempotency header', () => {
  for (const endpoint of all) {
    const operation = document.paths[endpoint.path][endpoint.method.toLowerCase()];
    const scheme = { key: [{ apiKey: [] }], session: [{ session: [] }], none: [] }[endpoint.auth];
    expect(operation.security).toEqual(scheme);
    expect(operation['x-required-scope'] ?? null).toBe(endpoint.scope);
  }
  const once = operations.filter(({ operation }) =>
    operation.parameters.some(
      (one: { name: string; required: boolean }) => one.name === 'Idempotency-Key' && one.required,
    ),
  );
  expect(once.map(({ operation }) => operation.operationId).sort()).toEqual(['offerClaim', 'sendClaim']);
});

test('lists that may grow are marked in answers, and closed in requests', () => {
  const { Claim, SendClaim, Adjuster, KeyInfo } = document.components.schemas;
  expect(Claim.properties.assignment.properties.status['x-extensible-enum']).toContain('unassigned');
  expect(Claim.properties.building.properties.flood_zone['x-extensible-enum']).toHaveLength(72);
  expect(SendClaim.properties.building.properties.flood_zone.enum).toHaveLength(72);
  expect(Adjuster.properties.status['x-extensible-enum']).toContain('withdrawn');
  expect(KeyInfo.properties.scopes.items['x-extensible-enum']).toContain('claims:create');
  expect(document.components.schemas.Problem.properties.code['x-extensible-enum']).toEqual([...ERROR_CODES]);
});

test('a request refuses fields that are not known, an answer may bring new ones', () => {
  const { Claim, SendClaim, Problem } = document.components.schemas;
  expect(SendClaim.additionalProperties).toBe(false);
  expect(Claim.additionalProperties ?? {}).toEqual({});
  expect(Problem.additionalProperties ?? {}).toEqual({});
});

test('the addresses and the version are those of the deployment', () => {
  expect(document.servers).toEqual([{ url: ADDRESSES.baseUrl }]);
  expect(document.info.version).toBe('1.2.3');
  expect(JSON.stringify(document)).toContain(`${ADDRESSES.docsUrl}/errors#not_found`);
});

test('the example of every problem is one, with the members that its code has and no others', () => {
  for (const code of ERROR_CODES) {
    const example = exampleProblem(code, ADDRESSES);
    expect(problemSchema.safeParse(example).success).toBe(true);
    expect('errors' in example).toBe(code === 'validation_failed');
    expect('existing_claim_id' in example).toBe(code === 'duplicate_claim');
  }
});

test('every request that is shown as an example would be taken', () => {
  for (const endpoint of all) {
    const { params = {}, search = '', headers = {}, body } = EXAMPLES[endpoint.id as keyof typeof EXAMPLES];
    expect(parseRequest(endpoint, { params, search, headers, body }, [])).toMatchObject({ ok: true });
  }
});
