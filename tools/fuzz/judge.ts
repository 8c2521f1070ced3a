import { isDeepStrictEqual } from 'node:util';
import { type Endpoint, ERRORS, type ErrorCode, problemSchema } from '@svc/contract';
import type { Mutation } from './bodies.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface FuzzRequest {
  /** Null: the method or the path was bent, so that it may be anybody's or nobody's. */
  readonly endpoint: Endpoint | null;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly mutations: readonly Mutation[];
  /** Any of these is right, and nothing else; left out: whatever the endpoint documents. */
  readonly codes?: readonly (ErrorCode | 'success')[];
  /** What a claim that is taken has to be answered as. */
  readonly sent?: unknown;
}

/** What the host may answer to anything that reaches it, whatever the endpoint. */
const ANYWHERE: readonly ErrorCode[] = [
  'headers_too_large',
  'malformed_request',
  'not_found',
  'method_not_allowed',
];
/** Nothing is wrong with the service, so neither is ever right. */
const NEVER: readonly ErrorCode[] = ['internal_error', 'service_unavailable'];

/** What is wrong with this answer to this request; null when nothing is. */
export function judge(request: FuzzRequest, { status, headers, text }: FuzzAnswer): string | null {
  const id = headers['x-request-id'];
  if (typeof id !== 'string' || id === '') return 'no X-Request-Id';
  if (headers['cache-control'] !== 'no-store') return `Cache-Control ${headers['cache-control']}`;
  return status < 400
    ? judgeSuccess(request, status, headers, text)
    : judgeProblem(request, status, headers, text, id);
}

function judgeSuccess(
  { endpoint, mutations, codes, sent, method }: FuzzRequest,
  status: number,
  headers: FuzzAnswer['headers'],
  text: string,
): string | null {
  const refused = mutations.find(({ verdict }) => verdict === 'refused');
  if (refused !== undefined) return `${status} in spite of ${refused.name} at ${refused.pointer}`;
  if (codes !== undefined && !codes.includes('success')) return `${status} instead of ${codes.join(' or ')}`;
  if (endpoint === null || method === 'HEAD') return null;
  const { success } = endpoint;
  if (status !== success.status) return `${status} instead of ${success.status}`;
  if (success.schema === null) return text === '' ? null : 'a body where none is documented';
  if (headers['content-type'] !== 'application/json') return `Content-Type ${headers['content-type']}`;
  const json: unknown = JSON.parse(text);
  const parsed = success.schema.safeParse(json);
  if (!parsed.success) return `not the documented shape: ${parsed.error.message.slice(0, 300)}`;
  if (sent === undefined) return null;
  const {
    id: _i,
    test: _t,
    created_at: _c,
    updated_at: _u,
    assignment: _a,
    ...content
  } = json as Record<string, unknown>;
  return isDeepStrictEqual(content, sent) ? null : `answered other than sent: ${text.slice(0, 300)}`;
}

function judgeProblem(
  { endpoint, mutations, codes }: FuzzRequest,
  status: number,
  headers: FuzzAnswer['headers'],
  text: string,
  id: string,
): string | null {
  if (headers['content-type'] !== 'application/problem+json')
    return `${status} as ${headers['content-type']}`;
  if (text === '') return null; // a HEAD
  const problem = JSON.parse(text) as Record<string, unknown>;
  const shape = problemSchema.strict().safeParse(problem);
  if (!shape.success) return `no problem as documented: ${text.slice(0, 300)}`;
  const code = problem.code as ErrorCode;
  if (!(code in ERRORS) || ERRORS[code].status !== status || problem.status !== status)
    return `${code} with ${status}`;
  if (NEVER.includes(code)) return code;
  if (problem.request_id !== id) return 'request_id is not X-Request-Id';
  if (!String(problem.type).endsWith(`#${code}`)) return `${code} of type ${problem.type}`;
  const fault = itemsFault(problem, code);
  if (fault !== null) return fault;
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') return '401 without WWW-Authenticate';
  if (status === 405 && !/^[A-Z]+(, [A-Z]+)*$/.test(String(headers.allow))) return '405 without Allow';
  if (status === 429 && !/^[1-9]\d*$/.test(String(headers['retry-after']))) return '429 without Retry-After';

  const documented =
    endpoint === null ? ANYWHERE.concat(Object.keys(ERRORS) as ErrorCode[]) : endpoint.problems;
  if (codes !== undefined) return codes.includes(code) ? null : `${code} instead of ${codes.join(' or ')}`;
  if (!documented.includes(code)) return `${code}, which is not documented here`;
  const asked = mutations.filter(({ verdict }) => verdict === 'refused');
  if (asked.length > 0 && code !== 'validation_failed') return `${code} in spite of ${asked[0]?.name}`;
  if (code !== 'validation_failed') return null;
  const pointers = ((problem.errors ?? []) as { pointer?: string }[]).map(({ pointer }) => pointer);
  if (endpoint !== null && mutations.every(({ verdict }) => verdict === 'sound')) {
    return `refused a sound request${mutations.length > 0 ? ` with ${mutations[0]?.name} at ${mutations[0]?.pointer}` : ''}: ${text.slice(0, 400)}`;
  }
  const [only] = asked;
  if (mutations.length === 1 && only?.pointer !== undefined && !pointers.includes(only.pointer)) {
    return `${only.name} at ${only.pointer} was complained of at ${pointers.join(', ')}`;
  }
  return null;
}

function itemsFault(problem: Record<string, unknown>, code: ErrorCode): string | null {
  const items = problem.errors as Record<string, unknown>[] | undefined;
  if ((items !== undefined) !== (code === 'validation_failed')) return `errors with ${code}`;
  if (items?.length === 0) return 'no errors in errors';
  for (const { detail, ...places } of items ?? []) {
    const names = Object.keys(places);
    const known = names.length === 1 && ['pointer', 'parameter', 'header'].includes(names[0] ?? '');
    if (typeof detail !== 'string' || !known || typeof Object.values(places)[0] !== 'string') {
      return `an item of errors is ${JSON.stringify({ detail, ...places })}`;
    }
  }
  if ((problem.existing_claim_id !== undefined) !== (code === 'duplicate_claim'))
    return `a claim with ${code}`;
  return null;
}
