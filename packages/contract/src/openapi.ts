import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { appEndpoints, firmEndpoints } from './endpoints.ts';
import { EXAMPLE_PROBLEM, EXAMPLES } from './examples.ts';
import { LIMITS, RATES } from './limits.ts';
import { ERRORS, type ErrorCode, makeProblem, type Problem, problemSchema } from './problems.ts';

type Json = Record<string, unknown>;

/** Of the interface, not of the program behind it: the first entry of the changelog. */
export const INTERFACE_VERSION = '1.0.0';

export interface OpenApiAddresses {
  /** Where the service is reached. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** Version of the release, such as `1.4.0`. */
  readonly version: string;
}

/** Refusals by the host itself, which any request can meet before an operation is reached. */
const HOST_PROBLEMS = ['malformed_request', 'request_timeout', 'headers_too_large'] as const;

const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** The interface as an OpenAPI 3.1 document, out of the very values that requests are judged by. */
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
      summary: 'Send flood claims to adjusters and learn what became of them.',
      description: DESCRIPTION,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    externalDocs: { description: 'Guides', url: docsUrl },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'Claims', description: 'Send claims, offer them again, read and poll them.' },
      { name: 'Adjusters', description: 'Invite adjusters and see who is in the firm.' },
      { name: 'Key and health', description: 'What a key may do, and whether the service is up.' },
      {
        name: 'Adjuster app',
        description: 'What the app on an adjuster’s phone calls. Not for firm systems.',
      },
    ],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
      headers: {
        RequestId: {
          description: 'Id of this request; the same as request_id in an error. Quote it to support.',
          required: true,
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A firm’s key: `svc_live_…` or `svc_test_…`.',
        },
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'A device session of the adjuster app: `svc_app_…`.',
        },
      },
    },
  };
}

const DESCRIPTION = `Requests and responses are JSON; errors are problem documents (RFC 9457). A live key may make ${RATES.live.requestsPerMinute} requests and ${RATES.live.writesPerMinute} writes a minute, a test key ${RATES.test.requestsPerMinute} and ${RATES.test.writesPerMinute}, at most ${RATES.live.burst} in one instant. A body may be ${LIMITS.bodyBytes / 2 ** 20} MB long. Lists marked \`x-extensible-enum\` may grow; tolerate values that are not in them.`;

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
  description: 'true when an earlier request with this Idempotency-Key did the work.',
  schema: { type: 'string', enum: ['true'] },
};

const describe = (endpoint: Endpoint): string =>
  endpoint.scope === null
    ? endpoint.description
    : `${endpoint.description}\n\nNeeds the scope \`${endpoint.scope}\`.`;

/** One response a status, naming every code that comes with it; `default` for what the host refuses by itself. */
function problemResponses(endpoint: Endpoint, addresses: OpenApiAddresses): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of endpoint.problems) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers = [...byStatus].sort(([one], [other]) => one - other);
  const own = new Set<ErrorCode>(endpoint.problems);
  const further = HOST_PROBLEMS.filter((code) => !own.has(code));
  return Object.fromEntries([
    ...answers.map(([status, codes]) => [status, problemResponse(codes, addresses, HEADERS_OF[status])]),
    ['default', problemResponse(further, addresses)],
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

/** What a client may receive with this code. */
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
      detail: `${errors.length} validation errors.`,
    }),
    ...(code === 'duplicate_claim' && { existingClaim: { id, url: `${baseUrl}/v1/claims/${id}` } }),
  });
}

const SECONDS = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } };
const HEADERS_OF: Readonly<Record<number, Json>> = {
  401: { 'WWW-Authenticate': { description: 'Bearer', schema: { type: 'string' } } },
  429: { 'Retry-After': SECONDS },
  503: { 'Retry-After': SECONDS },
};

function parametersIn(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, example, ...kind }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description,
    schema: kind,
    example,
  }));
}

interface Converted {
  readonly root: Json;
  readonly definitions: readonly (readonly [string, Json])[];
}

/** By schema: most of them stand in several operations, and a claim is long. */
const converted = { input: new WeakMap<z.ZodType, Converted>(), output: new WeakMap<z.ZodType, Converted>() };

function convert(schema: z.ZodType, io: 'input' | 'output'): Converted {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, { io }) as Json & { $defs?: Record<string, Json> };
  const made = {
    root: inComponents(root) as Json,
    definitions: Object.entries($defs).map(([name, one]) => [name, inComponents(one) as Json] as const),
  };
  converted[io].set(schema, made);
  return made;
}

/** A reference to the schema's component, which is filed with every other it refers to. */
function component(schema: z.ZodType, io: 'input' | 'output', schemas: Map<string, Json>): Json {
  const { root, definitions } = convert(schema, io);
  for (const [name, definition] of definitions) schemas.set(name, definition);
  return root;
}

/** JSON Schema's own shelf is `$defs`; OpenAPI's is `components`. And 3.1 wants lists of examples. */
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
