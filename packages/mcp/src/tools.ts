import { type Endpoint, firmEndpoints, LIMITS, pageParameters, sandboxEndpoints } from '@svc/contract';
import { z } from 'zod';

/** The values of a request to an operation. */
export interface OperationRequest {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly idempotencyKey: string | undefined;
}

/** An operation of the API as a tool. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  requestOf(input: Readonly<Record<string, unknown>>): OperationRequest;
}

const IDEMPOTENCY_KEY = 'idempotency_key';

export interface ToolOptions {
  /** Whether to offer tools that change data. */
  readonly allowWrites: boolean;
  /** A test key also has the tools of the sandbox. */
  readonly environment: 'live' | 'test';
}

const toolsByOptions = new Map<string, readonly Tool[]>();

/** Tools for all operations that need a key. Made once, since that takes 5 ms. */
export function createTools(options: ToolOptions): readonly Tool[] {
  const key = `${options.allowWrites} ${options.environment}`;
  const tools = toolsByOptions.get(key) ?? toolsOf(options);
  toolsByOptions.set(key, tools);
  return tools;
}

function toolsOf({ allowWrites, environment }: ToolOptions): readonly Tool[] {
  const endpoints = environment === 'test' ? { ...firmEndpoints, ...sandboxEndpoints } : firmEndpoints;
  return (Object.values(endpoints) as readonly Endpoint[])
    .filter(({ auth, write }) => auth === 'key' && (allowWrites || !write))
    .map((endpoint) => toolOf(withToolPages(endpoint)));
}

/** With smaller pages, which a language model reads. */
function withToolPages(endpoint: Endpoint): Endpoint {
  const { query } = endpoint;
  if (query === undefined || !isList(endpoint)) return endpoint;
  return { ...endpoint, query: query.extend({ limit: pageParameters(LIMITS.toolPage).limit }) };
}

const isList = ({ query }: Endpoint): boolean => query !== undefined && 'limit' in query.shape;

function toolOf(endpoint: Endpoint): Tool {
  const params = Object.keys(endpoint.params?.shape ?? {});
  const query = Object.keys(endpoint.query?.shape ?? {});
  const isIdempotent = endpoint.headers !== undefined;
  return {
    name: endpoint.id,
    title: endpoint.summary,
    description: descriptionOf(endpoint),
    inputSchema: inputSchemaOf(endpoint),
    annotations: {
      readOnlyHint: !endpoint.write,
      destructiveHint: endpoint.method === 'DELETE',
      idempotentHint: !endpoint.write || isIdempotent,
      openWorldHint: endpoint.write,
    },
    requestOf({ [IDEMPOTENCY_KEY]: key, ...input }) {
      const named = (names: readonly string[]) =>
        Object.fromEntries(names.flatMap((name) => (name in input ? [[name, asText(input[name])]] : [])));
      // Unknown names go to the part of the request whose errors name them.
      const rest = Object.fromEntries(
        Object.entries(input).filter(([name]) => !params.includes(name) && !query.includes(name)),
      );
      const hasBody = endpoint.body !== undefined;
      return {
        endpoint,
        params: named(params),
        query: {
          ...(isList(endpoint) && { limit: String(LIMITS.toolPage.default) }),
          ...named(query),
          ...(!hasBody && textsOf(rest)),
        },
        body: hasBody ? rest : undefined,
        idempotencyKey: isIdempotent && typeof key === 'string' ? key : undefined,
      };
    },
  };
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const textsOf = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]));

const descriptionOf = ({ description, scope, write }: Endpoint): string =>
  [description, write && 'This changes data.', scope && `Requires the scope ${scope}.`]
    .filter(Boolean)
    .join(' ');

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, ObjectSchema>>;
}

/** A named schema is a reference to its definition. */
function objectSchemaOf(schema: z.ZodType): ObjectSchema {
  const {
    $ref,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, { io: 'input' }) as ObjectSchema & {
    readonly $ref?: string;
  };
  const { [$ref?.split('/').at(-1) ?? '']: named = root, ...definitions } = $defs;
  return { ...named, $defs: definitions };
}

/** One flat object: path and query parameters, the fields of the body, and the idempotency key. */
function inputSchemaOf({ params, query, body, headers }: Endpoint): Tool['inputSchema'] {
  const parts = [params, query, body].flatMap((schema) =>
    schema === undefined ? [] : [objectSchemaOf(schema)],
  );
  if (headers !== undefined) {
    parts.push({
      properties: {
        [IDEMPOTENCY_KEY]: {
          type: 'string',
          minLength: 1,
          maxLength: 255,
          description:
            'A unique value that you choose for this change. Repeat it to retry without a second change.',
        },
      },
      required: [IDEMPOTENCY_KEY],
    });
  }
  const definitions = Object.assign({}, ...parts.map(({ $defs }) => $defs));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}
