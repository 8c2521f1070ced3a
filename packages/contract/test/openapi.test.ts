import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  appEndpoints,
  deskEndpoints,
  type Endpoint,
  ERROR_CODES,
  ERRORS,
  type ErrorCode,
  EXAMPLES,
  endpoints,
  exampleProblem,
  type OpenApiOptions,
  openApiDocument,
  problemSchema,
  sandboxEndpoints,
  webhooks as sentWebhooks,
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

const SENT: Readonly<Record<string, string>> = {
  'claims.changed': 'ClaimsChangedWebhook',
  'webhook.test': 'TestWebhook',
};

test('the 3.1 document of firms alone lists the webhooks, with their headers, an example and the responses that count', () => {
  const { webhooks } = document;
  expect(Object.keys(webhooks)).toEqual(['claims.changed', 'webhook.test']);
  // biome-ignore lint/suspicious/noExplicitAny: read as JSON
  for (const [type, { post }] of Object.entries<any>(webhooks)) {
    const { id, example, summary, description } = sentWebhooks[type as keyof typeof sentWebhooks];
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const parameters = names.map((name) => ({ name, in: 'header', required: true }));
    expect(post).toMatchObject({ operationId: id, summary, description, security: [], parameters });
    expect([post.requestBody.required, post.requestBody.content['application/json']]).toEqual([
      ...[true, { example, schema: { $ref: `#/components/schemas/${SENT[type]}` } }],
    ]);
    expect([example.type, id]).toEqual([type, type === 'webhook.test' ? 'webhookTest' : 'claimsChanged']);
    expect(post.responses).toEqual({
      '2XX': { description: 'The webhook has arrived.' },
      410: { description: 'The endpoint is gone: it is paused at once.' },
      default: { description: 'The webhook is sent again, for three days.' },
    });
  }
  const { ClaimsChangedData, TestWebhookData } = document.components.schemas;
  expect([ClaimsChangedData.required, TestWebhookData.required]).toEqual([
    ...[['environment', 'updated_since'], ['environment']],
  ]);
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
    // A reference is wrapped only to add to it.
    if ('allOf' in value) expect(Object.keys(value)).not.toEqual(['allOf']);
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

const EXTRA_HEADERS: Readonly<Record<string, readonly string[]>> = {
  ...{ 401: ['WWW-Authenticate'], 429: ['Retry-After'], 503: ['Retry-After'] },
};

test('an operation lists its problems under their statuses, with an example of each, and by default those of the server', () => {
  for (const { id, path, method, problems, success, next = success } of all) {
    const { responses } = paths[path][method.toLowerCase()];
    const ofServer = ['malformed_request', 'request_timeout', 'headers_too_large'] as const;
    const codesOf = (status: string): readonly ErrorCode[] =>
      status === 'default'
        ? ofServer.filter((code) => !problems.includes(code))
        : problems.filter((code) => ERRORS[code].status === Number(status));
    const statuses = [...new Set(problems.map((code) => `${ERRORS[code].status}`))].sort();
    const $ref = `#/components/schemas/${id === 'updateWork' ? 'WorkProblem' : 'Problem'}`;
    // biome-ignore lint/suspicious/noExplicitAny: read as JSON
    const found = Object.entries<any>(responses).flatMap(([status, { headers, content }]) => {
      const { schema, examples } = content?.['application/problem+json'] ?? {};
      return schema ? [[status, schema, Object.keys(headers), Object.keys(examples)]] : [];
    });
    expect([id, found]).toEqual([
      id,
      [...statuses, 'default'].map((status) => [
        ...[status, { $ref }, ['X-Request-Id', ...(EXTRA_HEADERS[status] ?? [])], codesOf(status)],
      ]),
    ]);
    const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
    for (const { status, description } of [success, next])
      expect(responses[status]).toMatchObject({ description, headers });
    for (const code of problems) {
      const { description, content } = responses[ERRORS[code].status];
      const example = content['application/problem+json'].examples[code];
      // At the desk about the role, and elsewhere about the key.
      const isOfStaff = code === 'insufficient_scope' && path.startsWith('/firm/');
      const title = isOfStaff ? 'Your role does not include the required permission' : ERRORS[code].title;
      expect(example).toEqual({ summary: title, value: { ...exampleProblem(code, ADDRESSES), title } });
      expect(description).toContain(`\`${code}\`: ${title}.`);
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
    const undocumented = parameters.filter(
      (one: Record<string, unknown>) => !one.description || !one.example,
    );
    expect(undocumented).toEqual([]);
    const { operationId, summary } = operation;
    expect([operationId, summary]).toEqual([endpoint.id, endpoint.summary]);
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
});

test('the texts promise these numbers', () => {
  const all = JSON.stringify(documents).matchAll(/"description":"((?:[^"\\]|\\.)*)"/g);
  const texts = new Set([...all].map(([, text = '']) => text));
  const found = [...texts].flatMap((text) => text.match(/[^.;:]*(?<![/\w.])\d+(?!\w)[^.;:]*/g) ?? []);
  const file = readFileSync(new URL('numbers.txt', import.meta.url), 'utf8');
  expect(found.map((one) => one.trim())).toEqual(file.trim().split('\n'));
});

test("no error of a firm's systems is explained by its desk", () => {
  const details = [document, documentOf({ openapi: '3.0' })].flatMap((one) =>
    [...JSON.stringify(one.paths).matchAll(/"detail":"([^"]*)"/g)].map(([, detail]) => detail),
  );
  expect(details.length).toBeGreaterThan(20);
  expect(details.filter((detail) => /staff|desk/.test(detail ?? ''))).toEqual([]);
});

test('each document says which API it is of, with the URLs and the version of the deployment', () => {
  const told = documents.map(({ info, tags, components: { schemas, securitySchemes } }) => {
    expect(Object.keys(schemas)).toEqual(Object.keys(schemas).sort());
    const [[scheme, { description, ...how }]] = Object.entries<{ description: string }>(securitySchemes) as [
      [string, { description: string }],
    ];
    expect(how).toEqual({ type: 'http', scheme: 'bearer' });
    return [
      info.title,
      info.summary,
      tags.map((tag: object) => Object.values(tag).join(': ')),
      scheme,
      description,
    ];
  });
  const tags = [
    'Claims: Send, read, poll and offer claims.',
    'Adjusters: Invite adjusters and list the members of the firm.',
    'Key and health: Check a key and the service.',
    'Sandbox: Simulate what adjusters, time and failures do. For test keys only.',
    'Webhooks: What the service sends to endpoints of the firm.',
  ];
  const [title, none] = ['Claim assignment service', 'Not for firm systems.'];
  const ofSession = (who: string, token: string) => ['session', `A session token of ${who}: \`${token}\`.`];
  expect(told).toEqual([
    [
      ...[title, 'Send flood claims to adjusters and poll for their responses.', tags],
      ...['apiKey', 'An API key of the firm: `svc_live_…` or `svc_test_…`.'],
    ],
    [
      ...[`${title}: adjuster app`, `The API of the app for adjusters. ${none}`],
      [`Adjuster app: Operations of the app for adjusters. ${none}`],
      ...ofSession('the adjuster app', 'svc_app_…'),
    ],
    [
      ...[`${title}: firm's desk`, `The API of the page for a firm's staff. ${none}`],
      [`Desk: Operations of the page for a firm's staff. ${none}`],
      ...ofSession('a staff member', 'svc_staff_…'),
    ],
  ]);
  const { docsUrl: url, supportEmail: email, baseUrl } = ADDRESSES;
  const { info, servers, externalDocs } = document;
  expect([document.openapi, servers, info.version]).toEqual(['3.1.0', [{ url: baseUrl }], '1.2.3']);
  expect([externalDocs, info.contact, info.license]).toEqual([
    { description: 'Guides', url },
    { name: 'Support', url: `${url}/support`, email },
    { name: 'Proprietary', url: `${url}/support#license` },
  ]);
  const requestId = { required: true, schema: { type: 'string' } };
  expect(document.components.headers.RequestId).toMatchObject(requestId);
  expect(info.description).toBe(
    'Requests and responses are JSON; errors are problem documents (RFC 9457). Rate limits: 300 requests and 120 writes per minute with a live key, 60 and 30 with a test key, in bursts of at most 20. A body can be up to 1 MB. Enums marked `x-extensible-enum` may get new values; accept values that are not listed.',
  );
  expect(documentOf({ openapi: '3.0' }).info).not.toHaveProperty('summary');
});

test.each(['3.1', '3.0'] as const)(
  'each operation is in the %s document of its API, under its tag',
  (openapi) => {
    const operations = (['firm', 'app', 'desk'] as const).flatMap((api) =>
      operationsOf(documentOf({ api, openapi })),
    );
    const found = operations.map(({ operation: { operationId, tags } }) => `${tags.join()} ${operationId}`);
    const tagged = (tag: string, ids: string) => ids.split(' ').map((id) => `${tag} ${id}`);
    const ofApi = (tag: string, api: object) => tagged(tag, Object.keys(api).join(' '));
    expect(found.sort()).toEqual(
      [
        ...tagged('Claims', 'listClaims sendClaim getClaim getReceipt offerClaim'),
        ...tagged('Adjusters', 'inviteAdjuster listAdjusters withdrawInvitation'),
        ...[...tagged('Key and health', 'getKeyInfo getHealth'), ...ofApi('Sandbox', sandboxEndpoints)],
        ...[...ofApi('Adjuster app', appEndpoints), ...ofApi('Desk', deskEndpoints)],
      ].sort(),
    );
  },
);

test('a parameter and a field have what the schema says of them, in either version', () => {
  const [environment, , , by, , accept] = paths['/firm/v1/reports/answers'].get.parameters;
  const described = (example: string) => ({ example, description: expect.stringMatching(/.\.$/) });
  const ofType = (keywords: object) => ({ type: 'string', ...keywords });
  expect([environment, by, accept]).toEqual([
    {
      ...{ name: 'environment', in: 'query', required: false, ...described('live') },
      schema: ofType({ enum: ['live', 'test'], default: 'live' }),
    },
    {
      ...{ name: 'by', in: 'query', required: true, ...described('adjuster') },
      schema: ofType({ enum: ['adjuster', 'week', 'carrier'] }),
    },
    {
      ...{ name: 'Accept', in: 'header', required: false, ...described('text/csv') },
      schema: ofType({ minLength: 1, maxLength: 1000 }),
    },
  ]);
  const $ref = '#/components/schemas/QuietHoursInput';
  const fields = (['3.1', '3.0'] as const).map((openapi) => {
    const { DevicePreferencesRequest } = documentOf({ api: 'app', openapi }).components.schemas;
    const { time_zone, quiet_hours } = DevicePreferencesRequest.properties;
    return { quiet_hours, examples: time_zone.examples, example: time_zone.example };
  });
  expect(fields).toEqual([
    { examples: ['America/Chicago'], quiet_hours: { anyOf: [{ $ref }, { type: 'null' }] } },
    { example: 'America/Chicago', quiet_hours: { type: 'object', nullable: true, allOf: [{ $ref }] } },
  ]);
});

test('the example of every problem is one, with the members that its code has and no others', () => {
  for (const code of ERROR_CODES) {
    const example = exampleProblem(code, ADDRESSES);
    expect(problemSchema.safeParse(example).success).toBe(true);
    expect('errors' in example).toBe(code === 'validation_failed');
    expect('existing_claim_id' in example).toBe(code === 'duplicate_claim');
  }
  const id = EXAMPLES.getClaim.params?.id;
  expect(exampleProblem('duplicate_claim', ADDRESSES)).toMatchObject({
    ...{ existing_claim_id: id, existing_claim_url: `https://claims.example.com/v1/claims/${id}` },
  });
  const { errors, ...invalid } = exampleProblem('validation_failed', ADDRESSES);
  expect(invalid.detail).toBe('3 validation errors.');
  expect(errors?.map(({ detail: _, ...place }) => place)).toEqual([
    ...[{ header: 'Idempotency-Key' }, { pointer: '/loss/date' }, { pointer: '/building/flood_zone' }],
  ]);
});
