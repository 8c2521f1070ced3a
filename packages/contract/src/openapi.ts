import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { appEndpoints, firmEndpoints } from './endpoints.ts';
import { EXAMPLE_PROBLEM, EXAMPLES } from './examples.ts';
import { LIMITS, RATES } from './limits.ts';
import {
  ERRORS,
  type ErrorCode,
  makeProblem,
  type Problem,
  problemSchema,
  validationSummary,
} from './problems.ts';

type Json = Record<string, unknown>;

/** Version of the interface, not of the release: the latest entry in the changelog. */
export const INTERFACE_VERSION = '1.0.0';

export interface OpenApiAddresses {
  /** Base URL of the service. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** Version of the release, such as `1.4.0`. */
  readonly version: string;
}

/** Errors of the HTTP server that any request can get before it is routed. */
const SERVER_PROBLEMS = ['malformed_request', 'request_timeout', 'headers_too_large'] as const;

const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** The OpenAPI 3.1 document, generated from the schemas that requests are validated with. */
export function openApiDocument(addresses: OpenApiAddresses): Json {
  const { baseUrl, docsUrl, version } = addresses;
  const schemas = new Map<string, Json>();
  const paths: Record<string, Json> = {};
  const add = (endpoint: Endpoint, tag: string): void => {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operation(endpoint, tag, schemas, addresses);
  };
  for (const endpoint of Object.values(firmEndpoints)) add(endpoint, tagOf(endpoint));
  for (const endpoint of Object.values(appEndpoints)) add(endpoint, 'Adjuster app');
  component(problemSchema, 'output', schemas);

  return {
    openapi: '3.1.0',
    info: {
      title: 'Claim assignment service',
      version,
      summary: 'Send flood claims to adjusters and poll for their responses.',
      description: DESCRIPTION,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    externalDocs: { description: 'Guides', url: docsUrl },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'Claims', description: 'Send, read, poll and offer claims.' },
      { name: 'Adjusters', description: 'Invite adjusters and list the members of the firm.' },
      { name: 'Key and health', description: 'Check a key and the service.' },
      {
        name: 'Adjuster app',
        description: 'Operations of the app for adjusters. Not for firm systems.',
      },
    ],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
      headers: {
        RequestId: {
          description:
            'Id of this request, equal to request_id in an error. Include it when you contact support.',
          required: true,
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the firm: `svc_live_…` or `svc_test_…`.',
        },
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'A session token of the adjuster app: `svc_app_…`.',
        },
      },
    },
  };
}

const DESCRIPTION = `Requests and responses are JSON; errors are problem documents (RFC 9457). Rate limits: ${RATES.live.requestsPerMinute} requests and ${RATES.live.writesPerMinute} writes per minute with a live key, ${RATES.test.requestsPerMinute} and ${RATES.test.writesPerMinute} with a test key, in bursts of at most ${RATES.live.burst}. A body can be up to ${LIMITS.bodyBytes / 2 ** 20} MB. Enums marked \`x-extensible-enum\` may get new values; accept values that are not listed.`;

const tagOf = (endpoint: Endpoint): string => {
  if (endpoint.path.startsWith('/v1/claims')) return 'Claims';
  return endpoint.path.startsWith('/v1/adjusters') ? 'Adjusters' : 'Key and health';
};

function operation(
  endpoint: Endpoint,
  tag: string,
  schemas: Map<string, Json>,
  addresses: OpenApiAddresses,
): Json {
  const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES] as { body?: unknown; response?: unknown };
  const { success } = endpoint;
  return {
    operationId: endpoint.id,
    tags: [tag],
    summary: endpoint.summary,
    description: describe(endpoint),
    security: endpoint.auth === 'none' ? [] : [endpoint.auth === 'key' ? { apiKey: [] } : { session: [] }],
    ...(endpoint.scope !== null && { 'x-required-scope': endpoint.scope }),
    parameters: [
      ...parametersIn('path', endpoint.params),
      ...parametersIn('query', endpoint.query),
      ...parametersIn('header', endpoint.headers),
    ],
    ...(endpoint.body !== undefined && {
      requestBody: {
        required: endpoint.bodyRequired !== false,
        content: {
          'application/json': {
            schema: component(endpoint.body, 'input', schemas),
            ...(example.body !== undefined && { example: example.body }),
          },
        },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: { 'X-Request-Id': REQUEST_ID, ...(endpoint.headers && { 'Idempotent-Replayed': REPLAYED }) },
        ...(success.schema !== null && {
          content: {
            'application/json': {
              schema: component(success.schema, 'output', schemas),
              ...(example.response !== undefined && { example: example.response }),
            },
          },
        }),
      },
      ...problemResponses(endpoint, addresses),
    },
  };
}

const REPLAYED = {
  description: 'true if an earlier request with this Idempotency-Key was already processed.',
  schema: { type: 'string', enum: ['true'] },
};

const describe = (endpoint: Endpoint): string =>
  endpoint.scope === null
    ? endpoint.description
    : `${endpoint.description}\n\nRequires the scope \`${endpoint.scope}\`.`;

/** One response per status with its error codes; `default` lists the errors of the HTTP server. */
function problemResponses(endpoint: Endpoint, addresses: OpenApiAddresses): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of endpoint.problems) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].sort(([one], [other]) => one - other);
  const listed = new Set<ErrorCode>(endpoint.problems);
  const others = SERVER_PROBLEMS.filter((code) => !listed.has(code));
  return Object.fromEntries([
    ...responses.map(([status, codes]) => [status, problemResponse(codes, addresses, HEADERS_OF[status])]),
    ['default', problemResponse(others, addresses)],
  ]);
}

const problemResponse = (codes: readonly ErrorCode[], addresses: OpenApiAddresses, headers?: Json): Json => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
  headers: { 'X-Request-Id': REQUEST_ID, ...headers },
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: ERRORS[code].title, value: exampleProblem(code, addresses) }]),
      ),
    },
  },
});

/** An example of the error with this code. */
export function exampleProblem(
  code: ErrorCode,
  { baseUrl, docsUrl }: Pick<OpenApiAddresses, 'baseUrl' | 'docsUrl'>,
): Problem {
  const { errors = [], request_id: requestId } = EXAMPLE_PROBLEM;
  const id = EXAMPLES.getClaim.params?.id ?? '';
  return makeProblem(code, {
    docsUrl,
    requestId,
    ...(code === 'validation_failed' && {
      errors,
      detail: validationSummary(errors.length, errors.length),
    }),
    ...(code === 'duplicate_claim' && { existingClaim: { id, url: `${baseUrl}/v1/claims/${id}` } }),
  });
}

const SECONDS = { description: 'Seconds to wait before retrying.', schema: { type: 'integer', minimum: 1 } };
const HEADERS_OF: Readonly<Record<number, Json>> = {
  401: {
    'WWW-Authenticate': { description: 'The authentication scheme, Bearer.', schema: { type: 'string' } },
  },
  429: { 'Retry-After': SECONDS },
  503: { 'Retry-After': SECONDS },
};

function parametersIn(location: 'path' | 'query' | 'header', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, example, ...type }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description,
    schema: type,
    example,
  }));
}

interface Conversion {
  readonly root: Json;
  readonly definitions: readonly (readonly [string, Json])[];
}

/** Cache by schema: most schemas are used in several operations. */
const conversions = {
  input: new WeakMap<z.ZodType, Conversion>(),
  output: new WeakMap<z.ZodType, Conversion>(),
};

function convert(schema: z.ZodType, io: 'input' | 'output'): Conversion {
  const cached = conversions[io].get(schema);
  if (cached !== undefined) return cached;
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, { io }) as Json & { $defs?: Record<string, Json> };
  const conversion = {
    root: inComponents(root) as Json,
    definitions: Object.entries($defs).map(([name, one]) => [name, inComponents(one) as Json] as const),
  };
  conversions[io].set(schema, conversion);
  return conversion;
}

/** Adds the schema and every schema that it refers to; returns a reference to it. */
function component(schema: z.ZodType, io: 'input' | 'output', schemas: Map<string, Json>): Json {
  const { root, definitions } = convert(schema, io);
  for (const [name, definition] of definitions) schemas.set(name, definition);
  return root;
}

/** Replaces `$defs` by `components`, and `example` by the `examples` list of OpenAPI 3.1. */
function inComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inComponents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === '$ref') return [name, String(inner).replace('#/$defs/', '#/components/schemas/')];
      return name === 'example' ? ['examples', [inner]] : [name, inComponents(inner)];
    }),
  );
}
