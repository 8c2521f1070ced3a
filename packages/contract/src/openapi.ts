import { z } from 'zod';
import { appEndpoints } from './app-endpoints.ts';
import { deskEndpoints } from './desk/index.ts';
import type { Endpoint } from './endpoint.ts';
import { firmEndpoints, sandboxEndpoints } from './endpoints.ts';
import { EXAMPLE_PROBLEM, EXAMPLES } from './examples.ts';
import { LIMITS, RATES } from './limits.ts';
import {
  ERRORS,
  type ErrorCode,
  makeProblem,
  type Problem,
  problemSchema,
  STAFF_TITLES,
  validationSummary,
} from './problems.ts';
import { webhookHeaders, webhooks } from './webhooks.ts';

type Json = Record<string, unknown>;

/** What the document uses of JSON Schema, for programs that read it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly 'x-extensible-enum'?: readonly string[];
}

export interface OpenApiAddresses {
  /** Base URL of the service. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** Version of the release, such as `1.4.0`. */
  readonly version: string;
  readonly supportEmail: string;
}

export interface OpenApiOptions {
  /** The API of firm systems, of the adjuster app, or of the firm's desk. */
  readonly api?: 'firm' | 'app' | 'desk';
  /** 3.0 is for generators that do not support 3.1 yet. */
  readonly openapi?: '3.1' | '3.0';
}

/** Errors of the HTTP server that any request can get before it is routed. */
const SERVER_PROBLEMS = ['malformed_request', 'request_timeout', 'headers_too_large'] as const;

const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** The OpenAPI document of an API, generated from the schemas that requests are validated with. */
export function openApiDocument(
  addresses: OpenApiAddresses,
  { api = 'firm', openapi = '3.1' }: OpenApiOptions = {},
): Json {
  const { baseUrl, docsUrl, version, supportEmail } = addresses;
  const { title, summary, endpoints, tags, securitySchemes } = APIS[api];
  const components = new Components(openapi);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operation(endpoint, components, addresses);
  }
  components.refer(problemSchema, 'output');
  // OpenAPI 3.0 has none.
  const sent = api === 'firm' && openapi === '3.1' ? { webhooks: webhookOperations(components) } : {};

  return {
    openapi: openapi === '3.1' ? '3.1.0' : '3.0.3',
    info: {
      title,
      version,
      ...(openapi === '3.1' && { summary }),
      description: DESCRIPTION,
      contact: { name: 'Support', url: `${docsUrl}/support`, email: supportEmail },
      license: { name: 'Proprietary', url: `${docsUrl}/support#license` },
    },
    externalDocs: { description: 'Guides', url: docsUrl },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    ...sent,
    components: {
      schemas: components.sorted(),
      headers: {
        RequestId: {
          description:
            'Id of this request, equal to request_id in an error. Include it when you contact support.',
          required: true,
          schema: { type: 'string' },
        },
      },
      securitySchemes,
    },
  };
}

const APIS = {
  firm: {
    title: 'Claim assignment service',
    summary: 'Send flood claims to adjusters and poll for their responses.',
    endpoints: [...Object.values(firmEndpoints), ...Object.values(sandboxEndpoints)] as readonly Endpoint[],
    tags: [
      { name: 'Claims', description: 'Send, read, poll and offer claims.' },
      { name: 'Adjusters', description: 'Invite adjusters and list the members of the firm.' },
      { name: 'Key and health', description: 'Check a key and the service.' },
      {
        name: 'Sandbox',
        description: 'Simulate what adjusters, time and failures do. For test keys only.',
      },
      { name: 'Webhooks', description: 'What the service sends to endpoints of the firm.' },
    ],
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key of the firm: `svc_live_…` or `svc_test_…`.',
      },
    },
  },
  app: {
    title: 'Claim assignment service: adjuster app',
    summary: 'The API of the app for adjusters. Not for firm systems.',
    endpoints: Object.values(appEndpoints) as readonly Endpoint[],
    tags: [
      { name: 'Adjuster app', description: 'Operations of the app for adjusters. Not for firm systems.' },
    ],
    securitySchemes: {
      session: {
        type: 'http',
        scheme: 'bearer',
        description: 'A session token of the adjuster app: `svc_app_…`.',
      },
    },
  },
  desk: {
    title: "Claim assignment service: firm's desk",
    summary: "The API of the page for a firm's staff. Not for firm systems.",
    endpoints: Object.values(deskEndpoints) as readonly Endpoint[],
    tags: [{ name: 'Desk', description: "Operations of the page for a firm's staff. Not for firm systems." }],
    securitySchemes: {
      session: {
        type: 'http',
        scheme: 'bearer',
        description: 'A session token of a staff member: `svc_staff_…`.',
      },
    },
  },
} as const;

const DESCRIPTION = `Requests and responses are JSON; errors are problem documents (RFC 9457). Rate limits: ${RATES.live.requestsPerMinute} requests and ${RATES.live.writesPerMinute} writes per minute with a live key, ${RATES.test.requestsPerMinute} and ${RATES.test.writesPerMinute} with a test key, in bursts of at most ${RATES.live.burst}. A body can be up to ${LIMITS.bodyBytes / 2 ** 20} MB. Enums marked \`x-extensible-enum\` may get new values; accept values that are not listed.`;

const tagOf = (endpoint: Endpoint): string => {
  if (endpoint.path.startsWith('/app/')) return 'Adjuster app';
  if (endpoint.path.startsWith('/firm/')) return 'Desk';
  if (endpoint.sandbox) return 'Sandbox';
  if (endpoint.path.startsWith('/v1/claims')) return 'Claims';
  return endpoint.path.startsWith('/v1/adjusters') ? 'Adjusters' : 'Key and health';
};

function operation(endpoint: Endpoint, components: Components, addresses: OpenApiAddresses): Json {
  const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES] as { body?: unknown; response?: unknown };
  const { success } = endpoint;
  const required = requiredOf(endpoint);
  const isIdempotent = endpoint.headers !== undefined && 'Idempotency-Key' in endpoint.headers.shape;
  return {
    operationId: endpoint.id,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    description: describe(endpoint),
    security: endpoint.auth === 'none' ? [] : [endpoint.auth === 'key' ? { apiKey: [] } : { session: [] }],
    ...(required !== null && { 'x-required-scope': required }),
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
            schema: components.refer(endpoint.body, 'input'),
            ...(example.body !== undefined && { example: example.body }),
          },
        },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: { 'X-Request-Id': REQUEST_ID, ...(isIdempotent && { 'Idempotent-Replayed': REPLAYED }) },
        ...(success.schema !== null && {
          content: {
            'application/json': {
              schema: components.refer(success.schema, 'output'),
              ...(example.response !== undefined && { example: example.response }),
            },
            ...(success.csv && { 'text/csv': { schema: { type: 'string' } } }),
          },
        }),
      },
      ...(endpoint.next !== undefined && {
        [endpoint.next.status]: {
          description: endpoint.next.description,
          headers: { 'X-Request-Id': REQUEST_ID },
          content: {
            'application/json': {
              schema: components.refer(endpoint.next.schema, 'output'),
              example: endpoint.next.example,
            },
          },
        },
      }),
      ...problemResponses(endpoint, components, addresses),
    },
  };
}

/** What the service sends, as the specification of an operation of the firm's own server. */
const webhookOperations = (components: Components): Json =>
  Object.fromEntries(
    Object.entries(webhooks).map(([type, { id, summary, description, schema, example }]) => [
      type,
      {
        post: {
          operationId: id,
          tags: ['Webhooks'],
          summary,
          description,
          security: [],
          parameters: parametersIn('header', webhookHeaders),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: components.refer(schema, 'output'), example } },
          },
          responses: {
            '2XX': { description: 'The webhook has arrived.' },
            '410': { description: 'The endpoint is gone: it is paused at once.' },
            default: { description: 'The webhook is sent again, for three days.' },
          },
        },
      },
    ]),
  );

const REPLAYED = {
  description: 'true if an earlier request with this Idempotency-Key was already processed.',
  schema: { type: 'string', enum: ['true'] },
};

/** What the key's scopes, or the permissions of the staff member's role, must include. */
const requiredOf = ({ scope, permission = null }: Endpoint): string | null => scope ?? permission;

function describe(endpoint: Endpoint): string {
  const required = requiredOf(endpoint);
  if (required === null) return endpoint.description;
  const what = endpoint.auth === 'staff' ? 'permission' : 'scope';
  return `${endpoint.description}\n\nRequires the ${what} \`${required}\`.`;
}

/** One response per status with its error codes; `default` lists the errors of the HTTP server. */
function problemResponses(endpoint: Endpoint, components: Components, addresses: OpenApiAddresses): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of endpoint.problems) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].sort(([one], [other]) => one - other);
  const listed = new Set<ErrorCode>(endpoint.problems);
  const others = SERVER_PROBLEMS.filter((code) => !listed.has(code));
  const titles = endpoint.auth === 'staff' ? STAFF_TITLES : {};
  const schema = components.refer(endpoint.problemSchema ?? problemSchema, 'output');
  return Object.fromEntries([
    ...responses.map(([status, codes]) => [
      status,
      problemResponse(codes, schema, addresses, titles, HEADERS_OF[status]),
    ]),
    ['default', problemResponse(others, schema, addresses, titles)],
  ]);
}

type Titles = Partial<Record<ErrorCode, string>>;

const problemResponse = (
  codes: readonly ErrorCode[],
  schema: Json,
  addresses: OpenApiAddresses,
  titles: Titles,
  headers?: Json,
): Json => ({
  description: codes.map((code) => `\`${code}\`: ${titles[code] ?? ERRORS[code].title}.`).join(' '),
  headers: { 'X-Request-Id': REQUEST_ID, ...headers },
  content: {
    'application/problem+json': {
      schema,
      examples: Object.fromEntries(
        codes.map((code) => {
          const title = titles[code] ?? ERRORS[code].title;
          return [code, { summary: title, value: { ...exampleProblem(code, addresses), title } }];
        }),
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

type Io = 'input' | 'output';

/** Cache by schema: most schemas are used in several operations. */
const conversions = new WeakMap<z.ZodType, Map<string, Conversion>>();

/** The named schemas of a document. */
class Components {
  private readonly schemas = new Map<string, Json>();

  constructor(private readonly openapi: '3.1' | '3.0') {}

  /** Adds the schema and every schema that it refers to; returns a reference to it. */
  refer(schema: z.ZodType, io: Io): Json {
    const { root, definitions } = this.convert(schema, io);
    for (const [name, definition] of definitions) this.schemas.set(name, definition);
    return root;
  }

  sorted(): Json {
    return Object.fromEntries([...this.schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private convert(schema: z.ZodType, io: Io): Conversion {
    const cached = conversions.get(schema) ?? new Map<string, Conversion>();
    conversions.set(schema, cached);
    const key = `${io} ${this.openapi}`;
    const found = cached.get(key);
    if (found !== undefined) return found;
    const target = this.openapi === '3.1' ? 'draft-2020-12' : 'openapi-3.0';
    const {
      $schema: _,
      $defs,
      definitions = $defs ?? {},
      ...root
    } = z.toJSONSchema(schema, { io, target }) as Json & { $defs?: Json; definitions?: Json };
    const toOpenApi = this.openapi === '3.1' ? toOpenApi31 : toOpenApi30(definitions);
    const conversion = {
      root: toOpenApi(root) as Json,
      definitions: Object.entries(definitions).map(([name, one]) => [name, toOpenApi(one) as Json] as const),
    };
    cached.set(key, conversion);
    return conversion;
  }
}

/** Of a schema that zod refers to. */
const nameOf = (ref: unknown): string =>
  String(ref).replace(/^#\/(\$defs|definitions|components\/schemas)\//, '');

const inComponents = (ref: unknown): string => `#/components/schemas/${nameOf(ref)}`;

const mapJson = (value: unknown, adapt: (object: Json) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapJson(item, adapt));
  return typeof value === 'object' && value !== null ? adapt(value as Json) : value;
};

/** Adapts JSON Schema to OpenAPI 3.1: references to components, and a list of examples. */
const toOpenApi31 = (schema: unknown): unknown =>
  mapJson(schema, ({ example, ...keywords }) => ({
    ...adaptKeywords(keywords, toOpenApi31),
    ...(example !== undefined && { examples: [example] }),
  }));

/**
 * Adapts JSON Schema to OpenAPI 3.0, which has no `dependentRequired`, wraps a reference only to add to it, and needs
 * the type of what is nullable.
 */
function toOpenApi30(definitions: Json): (schema: unknown) => unknown {
  const adapt = (schema: unknown): unknown =>
    mapJson(schema, ({ dependentRequired: _, example, ...keywords }) => {
      const [wrapped, ...others] = Array.isArray(keywords.allOf) ? keywords.allOf : [];
      const isWrapper = wrapped !== undefined && others.length === 0;
      if (isWrapper && Object.keys(keywords).length === 1) return adapt(wrapped);
      const named = isWrapper && keywords.nullable === true ? definitions[nameOf(wrapped.$ref)] : undefined;
      return {
        ...(named !== undefined && { type: (named as Json).type }),
        ...adaptKeywords(keywords, adapt),
        ...(example !== undefined && { example }),
      };
    });
  return adapt;
}

function adaptKeywords(keywords: Json, adapt: (schema: unknown) => unknown): Json {
  return Object.fromEntries(
    Object.entries(keywords).flatMap(([name, inner]) => {
      if (name === '$ref') return [[name, inComponents(inner)]];
      // The default; generators would add an index signature, which hides misspelled fields from the compiler.
      if (name === 'additionalProperties' && inner !== false) return [];
      return [[name, adapt(inner)]];
    }),
  );
}
