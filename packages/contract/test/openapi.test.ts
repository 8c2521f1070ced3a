import { expect, test } from '@jest/globals';
import {
  appEndpoints,
  deskEndpoints,
  type Endpoint,
  ERROR_CODES,
  ERRORS,
  EXAMPLES,
  endpoints,
  exampleProblem,
  firmEndpoints,
  type OpenApiOptions,
  openApiDocument,
  problemSchema,
  sandboxEndpoints,
} from '../src/index.ts';

const ADDRESSES = {
  baseUrl: 'https://claims.example.com',
  docsUrl: 'https://claims.example.com/docs',
  supportEmail: 'help@claims.example.com',
  version: '1.2.3',
};
// biome-ignore lint/suspicious/noExplicitAny: read as JSON
const documentOf = (options: OpenApiOptions): any => openApiDocument(ADDRESSES, options);
const documents = (['firm', 'app', 'desk'] as const).map((api) => documentOf({ api }));
const [document] = documents;
const paths = Object.assign({}, ...documents.map((one) => one.paths));
const all = Object.values(endpoints) as readonly Endpoint[];

// biome-ignore lint/suspicious/noExplicitAny: read as JSON
const operationsOf = (document: any) =>
  Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: read as JSON
    Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
const operations = documents.flatMap(operationsOf);
const namesOf = (list: readonly { method: string; path: string }[]): string[] =>
  list.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort();

test('each document has exactly the operations of its API, in either version', () => {
  for (const openapi of ['3.1', '3.0'] as const) {
    expect(namesOf(operationsOf(documentOf({ openapi })))).toEqual(
      namesOf([...Object.values(firmEndpoints), ...Object.values(sandboxEndpoints)]),
    );
    expect(namesOf(operationsOf(documentOf({ openapi, api: 'app' })))).toEqual(
      namesOf(Object.values(appEndpoints)),
    );
    expect(namesOf(operationsOf(documentOf({ openapi, api: 'desk' })))).toEqual(
      namesOf(Object.values(deskEndpoints)),
    );
  }
});

test('the 3.1 document of firms alone lists the webhooks, with their headers, an example and the responses that count', () => {
  const { webhooks } = document;
  expect(Object.keys(webhooks)).toEqual(['claims.changed', 'webhook.test']);
  // biome-ignore lint/suspicious/noExplicitAny: read as JSON
  for (const [type, { post }] of Object.entries<any>(webhooks)) {
    expect(post).toMatchObject({
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        name,
        in: 'header',
        required: true,
      })),
      requestBody: { content: { 'application/json': { example: { type } } } },
    });
    expect(Object.keys(post.responses)).toEqual(['410', '2XX', 'default']);
  }
  const others = [...documents.slice(1), documentOf({ openapi: '3.0' })];
  expect(others.filter((one) => 'webhooks' in one)).toEqual([]);
});

test('an object or enum below a named schema is itself named', () => {
  for (const { components } of [...documents, documentOf({ openapi: '3.0' })]) {
    const inline: string[] = [];
    const walk = (at: string, value: unknown, isNamed: boolean): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties, enum: values } = value as Record<string, unknown>;
      if (!isNamed && (properties !== undefined || values !== undefined)) inline.push(at);
      for (const [name, inner] of Object.entries(value)) {
        if (name === 'properties')
          for (const [field, one] of Object.entries(inner)) walk(`${at}.${field}`, one, false);
        else if (!['enum', 'example', 'examples', 'x-extensible-enum'].includes(name)) walk(at, inner, false);
      }
    };
    for (const [name, schema] of Object.entries(components.schemas)) walk(name, schema, true);
    expect(inline).toEqual([]);
  }
});

test('the list of states is in the document of firms once for each kind of address', () => {
  const lists = JSON.stringify(document.components.schemas).match(/"enum":\["AL","AK"/g);
  expect(lists).toHaveLength(2);
});

test('the 3.0 document uses no keyword of 3.1', () => {
  const keywords = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      keywords.add(name === 'type' ? `type ${JSON.stringify(inner)}` : name);
      if (name !== 'example' && name !== 'examples') walk(inner);
    }
  };
  const old = documentOf({ openapi: '3.0' });
  expect(old.openapi).toBe('3.0.3');
  walk(old.components.schemas);
  for (const keyword of ['examples', 'const', 'dependentRequired', '$defs', 'type "null"'])
    expect(keywords).not.toContain(keyword);
  expect(keywords).toContain('nullable');
});

test('in the 3.0 documents, whatever is nullable has a type', () => {
  const untyped: unknown[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('nullable' in value && !('type' in value)) untyped.push(value);
    for (const inner of Object.values(value)) walk(inner);
  };
  for (const api of ['firm', 'app', 'desk'] as const)
    walk(documentOf({ api, openapi: '3.0' }).components.schemas);
  expect(untyped).toEqual([]);
});

test('an operation lists each of its problems, under its status and with an example of the code', () => {
  for (const endpoint of all) {
    const { responses } = paths[endpoint.path][endpoint.method.toLowerCase()];
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

test('every response has X-Request-Id, invalid_key WWW-Authenticate, and a rate limit Retry-After', () => {
  for (const { operation } of operations) {
    for (const [status, { headers }] of Object.entries<{ headers: object }>(operation.responses)) {
      const names = Object.keys(headers);
      expect(names).toContain('X-Request-Id');
      if (status === '401') expect(names).toContain('WWW-Authenticate');
      if (status === '429' || status === '503') expect(names).toContain('Retry-After');
    }
  }
});

test('an operation documents its security, its scope, its examples, and its idempotency header', () => {
  for (const endpoint of all) {
    const operation = paths[endpoint.path][endpoint.method.toLowerCase()];
    const scheme = {
      key: [{ apiKey: [] }],
      session: [{ session: [] }],
      staff: [{ session: [] }],
      none: [],
    }[endpoint.auth];
    expect(operation.security).toEqual(scheme);
    const required = endpoint.scope ?? endpoint.permission ?? null;
    expect(operation['x-required-scope'] ?? null).toBe(required);
    const what = endpoint.auth === 'staff' ? 'permission' : 'scope';
    const [, sentence] = operation.description.split('\n\nRequires the ');
    expect(sentence).toBe(required === null ? undefined : `${what} \`${required}\`.`);
    const { requestBody, responses, parameters } = operation;
    const { params: path, query, headers: header } = endpoint;
    const named = Object.entries({ path, query, header }).flatMap(([place, schema]) =>
      Object.keys(schema?.shape ?? {}).map((name) => `${place} ${name}`),
    );
    expect(parameters.map((one: Record<string, string>) => `${one.in} ${one.name}`)).toEqual(named);
    const { content = {}, headers } = responses[endpoint.success.status];
    const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES];
    expect([
      requestBody?.required,
      requestBody?.content['application/json'].example,
      content['application/json']?.example,
      'text/csv' in content,
      'Idempotent-Replayed' in headers,
      endpoint.next && responses[endpoint.next.status]?.content['application/json'].example,
    ]).toEqual([
      endpoint.body && (endpoint.bodyRequired ?? true),
      example.body,
      example.response,
      endpoint.success.csv === true,
      endpoint.problems.includes('idempotency_key_reused'),
      endpoint.next?.example,
    ]);
  }
  const once = operations.filter(({ operation }) =>
    operation.parameters.some(
      (one: { name: string; required: boolean }) => one.name === 'Idempotency-Key' && one.required,
    ),
  );
  expect(once.map(({ operation }) => operation.operationId).sort()).toEqual([
    'offerBoardClaim',
    'offerClaim',
    'sendBoardClaim',
    'sendClaim',
  ]);
});

test("no error of a firm's systems is explained by its desk", () => {
  const details = [document, documentOf({ openapi: '3.0' })].flatMap((one) =>
    [...JSON.stringify(one.paths).matchAll(/"detail":"([^"]*)"/g)].map(([, detail]) => detail),
  );
  expect(details.length).toBeGreaterThan(20);
  expect(details.filter((detail) => /staff|desk/.test(detail ?? ''))).toEqual([]);
});

test('the URLs and the version are those of the deployment', () => {
  expect(document.servers).toEqual([{ url: ADDRESSES.baseUrl }]);
  expect(document.info.contact).toEqual({
    name: 'Support',
    url: `${ADDRESSES.docsUrl}/support`,
    email: ADDRESSES.supportEmail,
  });
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

test('a missing permission is about the role at the desk, and about the key elsewhere', () => {
  // biome-ignore lint/suspicious/noExplicitAny: read as JSON
  const titlesOf = (of: any): unknown[] => [
    ...new Set(
      operationsOf(of).flatMap(({ operation }) => {
        const examples = operation.responses[403]?.content['application/problem+json'].examples ?? {};
        const { summary, value } = examples.insufficient_scope ?? {};
        return [summary, value?.title].filter((title) => title !== undefined);
      }),
    ),
  ];
  const [firms, , desk] = documents;
  expect(titlesOf(desk)).toEqual(['Your role does not include the required permission']);
  expect(titlesOf(firms)).toEqual(['The key does not have the required scope']);
});
