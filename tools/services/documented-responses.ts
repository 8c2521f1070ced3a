import { type Endpoint, ERRORS, type ErrorCode, endpoints, openApiDocument } from '@svc/contract';
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
    addFormats.default(ajv).addFormat('time-zone', true);
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
  readonly header: Header;
  readonly text: string;
}

type Header = (name: string) => string | null | undefined;

/** Of every response but pages: nothing may render or frame it. */
export const hasApiPolicy = (header: Header): boolean =>
  header('content-security-policy') === "default-src 'none'; frame-ancestors 'none'" &&
  header('x-content-type-options') === 'nosniff';

/** How a response differs from the interface document; null if it does not. */
export function undocumented({ method, path, status, header, text }: ReceivedResponse): string | null {
  const type = header('content-type') ?? null;
  // The rate limit by address sends a plain page, which is outside the interface.
  if (status === 429 && type?.startsWith('text/html') === true) return null;
  const operation = operationOf(method, path);
  if (operation === undefined && status < 400) return null;
  if (!header('x-request-id')) return 'no X-Request-Id';
  if (!hasApiPolicy(header)) return 'no Content-Security-Policy or nosniff';
  if (operation === undefined)
    return method === 'HEAD' ? null : undocumentedProblem(status, header, text, { codes: OUTSIDE });
  const at = `/paths/${escaped(operation.path)}/${operation.method.toLowerCase()}/responses`;
  const { responses } = document.paths[operation.path]?.[operation.method.toLowerCase()] ?? { responses: {} };
  const place = responses[status] === undefined ? 'default' : String(status);
  const documented = responses[place];
  if (status >= 400) {
    if (method === 'HEAD') return type === PROBLEM_TYPE ? null : `Content-Type ${type}`;
    const codesOf = (response: Responses[string] | undefined) =>
      Object.keys(response?.content?.[PROBLEM_TYPE]?.examples ?? {});
    return undocumentedProblem(status, header, text, {
      codes: new Set([...codesOf(documented), ...codesOf(responses.default)]),
      schema: `${at}/${place}/content/application~1problem+json/schema`,
    });
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

const PROBLEM_TYPE = 'application/problem+json';

/** Members that a problem has with this code, and with no other. */
const OF_CODES = [
  ['errors', 'validation_failed'],
  ['existing_claim_id', 'duplicate_claim'],
  ['existing_claim_url', 'duplicate_claim'],
  ['work', 'work_changed'],
] as const;

interface Problem {
  readonly [member: string]: unknown;
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  readonly request_id: string;
  readonly errors?: readonly object[];
}

/** How an error response differs from the problem of its code; null if it does not. */
export function undocumentedProblem(
  status: number,
  header: Header,
  text: string,
  { codes, schema }: { readonly codes?: ReadonlySet<string>; readonly schema?: string } = {},
): string | null {
  if (header('content-type') !== PROBLEM_TYPE) return `Content-Type ${header('content-type')}`;
  const problem: Problem = JSON.parse(text);
  const { code, errors } = problem;
  if (codes?.has(code) === false) return `code ${code} (${status}) is not documented here`;
  const ofCode = 'work' in problem ? '/components/schemas/WorkProblem' : PROBLEM;
  const invalid = validationErrors(validator(schema ?? ofCode), problem);
  if (invalid !== null) return invalid;
  if (ERRORS[code].status !== status || problem.status !== status) return `${code} with status ${status}`;
  if (problem.request_id !== header('x-request-id')) return 'request_id differs from X-Request-Id';
  if (!problem.type.endsWith(`/docs/errors#${code}`)) return `${code} of type ${problem.type}`;
  const other = OF_CODES.find(([member, of]) => (problem[member] !== undefined) !== (code === of));
  if (other !== undefined) return `${other[0]} and ${code} do not match`;
  if (errors?.length === 0) return 'errors is empty';
  const item = errors?.find((error) => Object.keys(error).sort().join() in LOCATIONS === false);
  if (item !== undefined) return `an entry of errors is ${JSON.stringify(item)}`;
  if (status === 401 && header('www-authenticate') !== 'Bearer') return 'no WWW-Authenticate';
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(header('retry-after') ?? ''))
    return `Retry-After ${header('retry-after')}`;
  return null;
}

/** The members of an error: each has one location. */
const LOCATIONS: Readonly<Record<string, true>> = {
  'detail,pointer': true,
  'detail,parameter': true,
  'detail,header': true,
};

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

/** Fails the test if the response is not as documented. */
export function expectDocumented(response: ReceivedResponse): void {
  const mismatch = undocumented(response);
  if (mismatch === null) return;
  throw new Error(
    `${response.method} ${response.path}: the response with status ${response.status} is not as documented: ${mismatch}\n${response.text.slice(0, 500)}`,
  );
}
