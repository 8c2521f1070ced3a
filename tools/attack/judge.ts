import { isDeepStrictEqual } from 'node:util';
import type { Endpoint, ErrorCode } from '@svc/contract';
import { undocumented } from '../services/documented-responses.ts';
import type { Mutation } from './fuzz-bodies.ts';

export interface FuzzResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface FuzzRequest {
  /** Null when the method or path was changed, so that any operation or none may match. */
  readonly endpoint: Endpoint | null;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly mutations: readonly Mutation[];
  /** The only valid outcomes; without it, everything that the endpoint documents. */
  readonly codes?: readonly (ErrorCode | 'success')[];
  /** The content that the response of a created claim must repeat. */
  readonly sent?: unknown;
}

const NEVER_EXPECTED: readonly ErrorCode[] = ['internal_error', 'service_unavailable'];

/** What is wrong with this response to this request; null when nothing is. */
export function judge(request: FuzzRequest, { status, headers, text }: FuzzResponse): string | null {
  const header = (name: string) => [headers[name]].flat()[0];
  if (header('cache-control') !== 'no-store') return `Cache-Control ${header('cache-control')}`;
  if (status === 405 && header('allow') === undefined) return '405 without Allow';
  const fault = undocumented({ ...request, status, header, text });
  if (fault !== null) return fault;
  return status < 400 ? judgeSuccess(request, status, text) : judgeProblem(request, text);
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}...` : text;

/** A finding as text of bounded length: a body may be nested thousands of levels deep, or 1 MB long. */
export function describeFinding(
  fault: string,
  { method, path, endpoint, headers, mutations, body }: FuzzRequest,
  response: FuzzResponse | null,
): string {
  const { authorization, ...others } = headers;
  const sent = JSON.stringify({ ...others, authorization: authorization?.slice(0, 16) });
  const text = typeof body === 'string' ? body : Buffer.from(body ?? '').toString('hex');
  return [
    cut(fault, 500),
    `  ${method} ${cut(path, 300)} (${endpoint?.id ?? 'no operation'}) ${cut(sent, 300)}`,
    `  mutations: ${cut(JSON.stringify(mutations), 300)}`,
    `  body: ${cut(text, 1000)}`,
    `  response: ${response === null ? 'none' : `${response.status} ${cut(response.text, 800)}`}`,
  ].join('\n');
}

function judgeSuccess({ mutations, codes, sent }: FuzzRequest, status: number, text: string): string | null {
  const invalid = mutations.find(({ expected }) => expected === 'invalid');
  if (invalid !== undefined) return `${status} despite ${invalid.name} at ${invalid.pointer}`;
  if (codes !== undefined && !codes.includes('success')) return `${status} instead of ${codes.join(' or ')}`;
  if (sent === undefined) return null;
  const { id: _i, test: _t, created_at: _c, updated_at: _u, assignment: _a, ...content } = JSON.parse(text);
  return isDeepStrictEqual(content, sent) ? null : `the response differs from what was sent: ${text}`;
}

function judgeProblem({ endpoint, mutations, codes }: FuzzRequest, text: string): string | null {
  // The response to HEAD.
  if (text === '') return null;
  const problem: { readonly code: ErrorCode; readonly errors?: readonly { readonly pointer?: string }[] } =
    JSON.parse(text);
  const { code } = problem;
  if (NEVER_EXPECTED.includes(code)) return code;
  if (codes !== undefined) return codes.includes(code) ? null : `${code} instead of ${codes.join(' or ')}`;
  if (endpoint === null) return null;
  const [invalid] = mutations.filter(({ expected }) => expected === 'invalid');
  if (code !== 'validation_failed') return invalid === undefined ? null : `${code} despite ${invalid.name}`;
  // Neither a code nor a signature can be guessed, so even a valid body has a wrong one.
  if (['confirmEmail', 'registerPasskey', 'registerStaffPasskey'].includes(endpoint.id)) return null;
  const [first] = mutations;
  if (mutations.every(({ expected }) => expected === 'valid')) {
    const changed = first === undefined ? '' : ` with ${first.name} at ${first.pointer}`;
    return `a valid request${changed} was rejected: ${text}`;
  }
  const pointers = problem.errors?.map(({ pointer }) => pointer);
  if (mutations.length === 1 && invalid?.pointer !== undefined && !pointers?.includes(invalid.pointer)) {
    return `${invalid.name} at ${invalid.pointer} was reported at ${pointers?.join(', ')}`;
  }
  return null;
}
