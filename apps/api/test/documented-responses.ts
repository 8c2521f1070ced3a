import { type Endpoint, endpoints, openApiDocument } from '@svc/contract';
import { type ErrorObject, Ajv2020 as OpenAjv, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

/** Errors outside any operation: unknown paths and methods, and errors of the HTTP server itself. */
const OUTSIDE = new Set([
  'invalid_key',
  'rate_limited',
  'not_found',
  'method_not_allowed',
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
]);

const PROBLEM = '/components/schemas/Problem';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;
  readonly components: { readonly schemas: Json };
}

const documents = (['firm', 'app', 'desk'] as const).map((api) =>
  openApiDocument(
    { baseUrl: 'http://localhost', docsUrl: 'http://localhost/docs', version: '0', supportEmail: '' },
    { api },
  ),
) as unknown as Document[];

/** All documents in one: shared schemas are the same. */
const document: Document = {
  paths: Object.assign({}, ...documents.map(({ paths }) => paths)),
  components: { schemas: Object.assign({}, ...documents.map(({ components }) => components.schemas)) },
};

type Responses = Readonly<
  Record<
    string,
    {
      readonly headers?: Json;
      readonly content?: Readonly<Record<string, { readonly schema: Json; readonly examples?: Json }>>;
    }
  >
>;

/**
 * The document allows responses to grow. Every field and value of this release is documented, so for the tests each
 * object and extensible enum is closed.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  if (copy.properties !== undefined && copy.type === 'object') copy.additionalProperties = false;
  const known = copy['x-extensible-enum'];
  if (Array.isArray(known)) copy.enum = known;
  return copy;
}

let compiled:
  | { ajv: OpenAjv; byPointer: Map<string, ValidateFunction>; bySchema: Map<string, ValidateFunction> }
  | undefined;

/** Compiled once per test file, hence the cheapest settings. openapi-tools.nightly.ts validates the document itself. */
function validator(pointer: string): ValidateFunction {
  if (compiled === undefined) {
    const ajv = new OpenAjv({
      strict: false,
      allErrors: true,
      inlineRefs: false,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
    });
    addFormats.default(ajv);
    ajv.addSchema(closed(document) as Json, 'interface');
    compiled = { ajv, byPointer: new Map(), bySchema: new Map() };
  }
  const { ajv, byPointer, bySchema } = compiled;
  const known = byPointer.get(pointer);
  if (known !== undefined) return known;
  // Several operations share a response schema.
  const schema = String(JSON.stringify(at(pointer)));
  const found = bySchema.get(schema) ?? ajv.compile({ $ref: `interface#${pointer}` });
  bySchema.set(schema, found);
  byPointer.set(pointer, found);
  return found;
}

/** The value at this JSON pointer of the document. */
function at(pointer: string): unknown {
  const parts = decodeURIComponent(pointer).split('/').slice(1);
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value as Json | undefined)?.[part], document);
}

const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$');

const patterns = Object.values(endpoints).map((endpoint: Endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation of a request; undefined outside the interface. A literal path wins over a parameter. */
function operationOf(method: string, path: string): Endpoint | undefined {
  const [pathname = ''] = path.split('?');
  const wanted = method === 'HEAD' ? 'GET' : method;
  return patterns
    .filter(({ endpoint, pattern }) => endpoint.method === wanted && pattern.test(pathname))
    .sort((one, other) => one.endpoint.path.split('{').length - other.endpoint.path.split('{').length)[0]
    ?.endpoint;
}

interface ReceivedResponse {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly text: string;
}

/** Of every response but pages: nothing may render or frame it. */
export const hasApiPolicy = (header: ReceivedResponse['header']): boolean =>
  header('content-security-policy') === "default-src 'none'; frame-ancestors 'none'" &&
  header('x-content-type-options') === 'nosniff';

/** How a response differs from the interface document; null if it does not. */
function undocumented(response: ReceivedResponse): string | null {
  const { method, path, status, header, text } = response;
  const type = header('content-type') ?? null;
  // The rate limit by address sends a plain page, which is outside the interface.
  if (status === 429 && type?.startsWith('text/html') === true) return null;
  const operation = operationOf(method, path);
  if (operation === undefined && status < 400) return null;
  if (!header('x-request-id')) return 'no X-Request-Id';
  if (!hasApiPolicy(header)) return 'no Content-Security-Policy or nosniff';
  if (operation === undefined) return undocumentedProblem(response, [...OUTSIDE], '');
  const at = `/paths/${escaped(operation.path)}/${operation.method.toLowerCase()}/responses`;
  const { responses } = document.paths[operation.path]?.[operation.method.toLowerCase()] ?? { responses: {} };
  const place = responses[status] === undefined ? 'default' : String(status);
  const documented = responses[place];
  if (status >= 400) {
    const content = documented?.content?.['application/problem+json'];
    const own = Object.keys(content?.examples ?? {});
    const host = Object.keys(responses.default?.content?.['application/problem+json']?.examples ?? {});
    const schema = `${at}/${place}/content/application~1problem+json/schema`;
    return undocumentedProblem(
      response,
      [...own, ...host],
      Object.keys(documented?.headers ?? {}).join(),
      schema,
    );
  }
  if (place === 'default' || documented === undefined) return `status ${status} is not documented`;
  const schema = documented.content?.['application/json'];
  if (schema === undefined) return text === '' ? null : 'a body that is not documented';
  const hasCsv = documented.content?.['text/csv'] !== undefined;
  if (hasCsv && type === 'text/csv; charset=utf-8') return null;
  if (type !== 'application/json') return `Content-Type ${type}`;
  if (method === 'HEAD') return null;
  return validationErrors(validator(`${at}/${place}/content/application~1json/schema`), JSON.parse(text));
}

function undocumentedProblem(
  { method, status, header, text }: ReceivedResponse,
  codes: readonly string[],
  headers: string,
  schema = PROBLEM,
): string | null {
  if (header('content-type') !== 'application/problem+json') return `Content-Type ${header('content-type')}`;
  if (method === 'HEAD') return null;
  const problem = JSON.parse(text) as { readonly code: string; readonly status: number };
  if (!codes.includes(problem.code)) return `code ${problem.code} (${status}) is not documented here`;
  if (problem.status !== status) return `status ${status} with a problem of status ${problem.status}`;
  for (const name of ['Retry-After', 'WWW-Authenticate']) {
    if (headers.includes(name) && !header(name.toLowerCase())) return `no ${name}`;
  }
  return validationErrors(validator(schema), problem);
}

function validationErrors(validate: ValidateFunction, value: unknown): string | null {
  if (validate(value)) return null;
  return (validate.errors ?? [])
    .slice(0, 5)
    .map(
      ({ instancePath, message, params }: ErrorObject) =>
        `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    .join('; ');
}

/** How a problem differs from the interface document, for tests that send raw HTTP. */
export function undocumentedInProblem(problem: Json): string | null {
  const schema = 'work' in problem ? '/components/schemas/WorkProblem' : PROBLEM;
  return validationErrors(validator(schema), problem);
}

/** Fails the test if the response is not as documented. */
export function expectDocumented(response: ReceivedResponse): void {
  const mismatch = undocumented(response);
  if (mismatch === null) return;
  throw new Error(
    `${response.method} ${response.path}: the response with status ${response.status} is not as documented: ${mismatch}\n${response.text.slice(0, 500)}`,
  );
}
