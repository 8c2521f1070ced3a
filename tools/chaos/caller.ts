import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '@svc/client';
import type { deskEndpoints, ResponseOf } from '@svc/contract';
import { Agent, request } from 'undici';
import type { Random } from '../generate/random.ts';
import { undocumented } from '../services/documented-responses.ts';
import type { Call, ClaimView, Intent, Operation, RowView } from './history.ts';

/** Longer than the service's own timeouts. */
const REQUEST_TIMEOUT_MS = 4_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
const MAX_ATTEMPTS = 80;

export interface RequestSpec {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly intent?: Intent;
  /** Members that the body of a successful response must have. */
  readonly expects?: Readonly<Record<string, string>>;
}

export type Caller = ReturnType<typeof createCaller>;

interface ClientResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape
  readonly json: any;
  readonly seen: readonly ClaimView[];
  readonly retryAfterMs: number | null;
}

/** A request before its outcome. */
type Started = Omit<Call, 'n' | 'endedAt' | 'status' | 'seen'>;
type Outcome = Pick<Call, 'status' | 'seen'> & Partial<Call>;

type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder() {
  const calls: Call[] = [];
  const open = new Set<Started>();
  let tasks = 0;
  const now = (): number => performance.now();
  return {
    calls,
    now,
    /** Returns what records the outcome. */
    start(call: Started) {
      open.add(call);
      return (outcome: Outcome): void => {
        open.delete(call);
        calls.push({ n: calls.length, endedAt: now(), ...call, ...outcome });
      };
    },
    /** All calls up to now; those without an outcome yet as unknown. */
    callsSoFar: () => [
      ...calls,
      ...[...open].map(
        (call, n): Call => ({
          n: calls.length + n,
          ...call,
          endedAt: now(),
          status: null,
          seen: [],
        }),
      ),
    ],
    nextTask() {
      tasks += 1;
      return tasks;
    },
  };
}

/** Included in everything a firm sends, so that data shown to another firm is detected. */
export const tagOf = (firm: number): string => `tag${firm}x`;
const TAG = /tag\d+x/g;

export function createCaller({
  recorder,
  urls,
  random,
  firm,
  actor,
  token,
}: {
  readonly recorder: Recorder;
  /** One for each process. */
  readonly urls: readonly string[];
  readonly random: Random;
  /** Null for an adjuster, who may see claims of several firms. */
  readonly firm: string | null;
  readonly actor: string;
  readonly token: string;
}) {
  const agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 2_000 });
  const environment = /^svc_(live|test)_/.exec(token)?.[1] ?? 'live';

  async function attempt(
    spec: RequestSpec,
    task: number,
    count: number,
    process = random.integer(0, urls.length - 1),
  ): Promise<ClientResponse | null> {
    const record = recorder.start({
      firm,
      actor,
      operation: spec.operation,
      task,
      attempt: count,
      process,
      ...(spec.idempotencyKey !== undefined && { idempotencyKey: `${environment} ${spec.idempotencyKey}` }),
      intent: spec.intent ?? {},
      startedAt: recorder.now(),
    });
    try {
      const { statusCode, headers, body } = await request(`${urls[process]}${spec.path}`, {
        method: spec.method,
        dispatcher: agent,
        headers: {
          authorization: `Bearer ${token}`,
          ...(spec.body !== undefined && { 'content-type': 'application/json' }),
          ...(spec.idempotencyKey !== undefined && { 'idempotency-key': spec.idempotencyKey }),
        },
        ...(spec.body !== undefined && { body: JSON.stringify(spec.body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await body.text();
      const json = text === '' ? null : JSON.parse(text);
      const seen = statusCode < 300 ? claimsIn(json) : [];
      const malformed =
        undocumented({ ...spec, status: statusCode, header: (name) => one(headers[name]), text }) ??
        (statusCode < 300 ? otherMember(json, spec.expects) : null);
      const foreign =
        firm === null
          ? // An adjuster may see claims of several firms, but a claim has data of one.
            itemsOf(json)
              .map((item) => tagsIn(JSON.stringify(item ?? null)))
              .filter((tags) => tags.length > 1)
              .flat()
          : tagsIn(text).filter((tag) => tag !== firm);
      if (environment === 'test' && text.includes('"test":false')) foreign.push('the live environment');
      record({
        status: statusCode,
        seen,
        ...(json?.code !== undefined && { code: json.code }),
        ...(json?.existing_claim_id !== undefined && { existingClaimId: json.existing_claim_id }),
        ...(typeof json?.next_cursor === 'string' && { hasMore: true }),
        ...(headers['idempotent-replayed'] === 'true' && { replayed: true }),
        ...(spec.operation === 'import' && statusCode < 300 && { rows: json.rows.map(rowOf) }),
        ...(malformed !== null && { malformed }),
        ...(foreign.length > 0 && { foreign }),
      });
      const retryAfter = one(headers['retry-after']);
      return {
        status: statusCode,
        json,
        seen,
        retryAfterMs: retryAfter === undefined ? null : Number(retryAfter) * 1_000,
      };
    } catch {
      record({ status: null, seen: [] });
      return null;
    }
  }

  async function withRetries(
    spec: RequestSpec,
    task: number,
    first = 1,
    firstProcess?: number,
  ): Promise<ClientResponse> {
    let pause = FIRST_PAUSE_MS;
    for (let count = first; count < first + MAX_ATTEMPTS; count += 1) {
      const response = await attempt(spec, task, count, count === first ? firstProcess : undefined);
      if (response !== null && response.status < 500 && response.status !== 429) return response;
      const wait =
        response?.status === 429 ? (response.retryAfterMs ?? pause) : pause * (0.5 + random.next());
      await sleep(wait);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
    throw new RetriesExhausted();
  }

  return {
    /** Retries as the documentation advises. */
    send: (spec: RequestSpec) => withRetries(spec, recorder.nextTask()),
    /** Sends the same request to all processes at once, like a client whose first attempts seemed lost. */
    async sendAtOnce(spec: RequestSpec) {
      const task = recorder.nextTask();
      const [response] = await Promise.all([
        withRetries(spec, task, 1, 0),
        ...Array.from({ length: Math.max(1, urls.length - 1) }, (_, n) =>
          withRetries(spec, task, 1_000 * (n + 1) + 1, (n + 1) % urls.length),
        ),
      ]);
      return response;
    },
    /** Sends without a retry. */
    sendOnce: (spec: RequestSpec) => attempt(spec, recorder.nextTask(), 1),
    close: () => agent.destroy(),
  };
}

/** Runs a command of the operator on the database until its outcome is known. Null: it does not apply. */
export async function runCommand<T>(
  recorder: Recorder,
  operation: Operation,
  intent: Intent,
  command: () => Promise<T>,
): Promise<T | null> {
  const task = recorder.nextTask();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const record = recorder.start({
      firm: null,
      actor: 'operator',
      operation,
      task,
      attempt,
      process: -1,
      intent,
      startedAt: recorder.now(),
    });
    try {
      const result = await command();
      record({ status: 200, seen: [] });
      return result;
    } catch (error) {
      const applies = !(error instanceof Error && error.name === 'OperatorError');
      record(applies ? { status: null, seen: [] } : { status: 404, code: 'not_found', seen: [] });
      if (!applies) return null;
    }
    await sleep(LONGEST_PAUSE_MS / 2);
  }
  throw new RetriesExhausted();
}

/** The checker reports the task as unfinished. */
export class RetriesExhausted extends Error {
  override readonly name = 'GaveUp';
}

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

export const viewOf = ({ id, external_id, test, assignment, created_at, updated_at }: Claim): ClaimView => ({
  id,
  externalId: external_id,
  test,
  status: assignment.status,
  adjuster: assignment.adjuster_svc_id,
  respondedAt: assignment.responded_at,
  reason: assignment.rejection_reason,
  createdAt: created_at,
  updatedAt: updated_at,
});

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
const itemsOf = (json: any): any[] => (Array.isArray(json?.data) ? json.data : [json]);

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
const claimsIn = (json: any): ClaimView[] =>
  itemsOf(json)
    // The desk shows a claim with its offers.
    .map((item) => item?.claim ?? item)
    .filter((item) => item?.assignment !== undefined)
    .map(viewOf);

type ImportedRow = ResponseOf<typeof deskEndpoints.importClaims>['rows'][number];

const rowOf = ({ external_id, outcome, claim_id, problems }: ImportedRow): RowView => ({
  externalId: external_id ?? '',
  outcome,
  claimId: claim_id,
  codes: problems.map(({ code }) => code),
});

const tagsIn = (text: string): string[] => [...new Set(text.match(TAG) ?? [])];

function otherMember(
  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape
  json: any,
  expected: RequestSpec['expects'] = {},
): string | null {
  const [other] = Object.entries(expected).filter(([name, value]) => json[name] !== value);
  return other === undefined ? null : `${other[0]} is ${json[other[0]]} instead of ${other[1]}`;
}
