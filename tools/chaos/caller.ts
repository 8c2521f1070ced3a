import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, type ErrorCode, problemSchema } from '@svc/contract';
import { Agent, request } from 'undici';
import type { Random } from '../generate/random.ts';
import type { Call, Meant, Operation, Seen } from './history.ts';

/** Longer than anything the service allows itself; a frozen process keeps a client waiting this long. */
const PATIENCE_MS = 4_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** No client would go on for ever; whoever gives up is found by the checker. */
const ATTEMPTS = 80;

export interface Asked {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly meant?: Meant;
}

export interface Caller {
  /** Asks until there is an answer, as the specification advises. */
  ask(asked: Asked): Promise<Answer>;
  /** The same request twice at once, as a client does whose first attempt seemed lost. */
  askTwice(asked: Asked): Promise<Answer>;
  /** Asks once, whatever comes of it. */
  askOnce(asked: Asked): Promise<Answer | null>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers as they come
  readonly json: any;
  readonly seen: readonly Seen[];
  readonly retryAfterMs: number | null;
}

interface Recorder {
  readonly calls: Call[];
  readonly now: () => number;
  nextTask(): number;
}

export function createRecorder(): Recorder {
  const calls: Call[] = [];
  let tasks = 0;
  return {
    calls,
    now: () => performance.now(),
    nextTask() {
      tasks += 1;
      return tasks;
    },
  };
}

/** Whatever a firm sends carries its tag, so that it is known wherever it turns up. */
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
  /** One way to each process. */
  readonly urls: readonly string[];
  readonly random: Random;
  /** Null for an adjuster, who may be shown claims of several firms. */
  readonly firm: string | null;
  readonly actor: string;
  readonly token: string;
}): Caller {
  const agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 2_000 });

  async function attempt(asked: Asked, task: number, count: number): Promise<Answer | null> {
    const process = random.integer(0, urls.length - 1);
    const startedAt = recorder.now();
    const base = {
      firm,
      actor,
      operation: asked.operation,
      task,
      attempt: count,
      process,
      ...(asked.idempotencyKey !== undefined && { idempotencyKey: asked.idempotencyKey }),
      meant: asked.meant ?? {},
      startedAt,
    };
    const record = (rest: Omit<Call, keyof typeof base | 'n'>): void => {
      recorder.calls.push({ n: recorder.calls.length, ...base, ...rest });
    };
    try {
      const { statusCode, headers, body } = await request(`${urls[process]}${asked.path}`, {
        method: asked.method,
        dispatcher: agent,
        headers: {
          authorization: `Bearer ${token}`,
          ...(asked.body !== undefined && { 'content-type': 'application/json' }),
          ...(asked.idempotencyKey !== undefined && { 'idempotency-key': asked.idempotencyKey }),
        },
        ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await body.text();
      const json = text === '' ? null : JSON.parse(text);
      const seen = statusCode < 300 ? claimsIn(json) : [];
      const misshapen = shapeFault(statusCode, (name) => one(headers[name]), json);
      const foreign =
        firm === null ? mixedTags(json) : [...new Set(text.match(TAG) ?? [])].filter((tag) => tag !== firm);
      record({
        endedAt: recorder.now(),
        status: statusCode,
        seen,
        ...(json?.code !== undefined && { code: json.code }),
        ...(json?.existing_claim_id !== undefined && { existingClaimId: json.existing_claim_id }),
        ...(headers['idempotent-replayed'] === 'true' && { replayed: true }),
        ...(misshapen !== null && { misshapen }),
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
      record({ endedAt: recorder.now(), status: null, seen: [] });
      return null;
    }
  }

  async function untilAnswered(asked: Asked, task: number, first = 1): Promise<Answer> {
    let pause = FIRST_PAUSE_MS;
    for (let count = first; count < first + ATTEMPTS; count += 1) {
      const answer = await attempt(asked, task, count);
      if (answer !== null && answer.status < 500 && answer.status !== 429) return answer;
      const wait = answer?.status === 429 ? (answer.retryAfterMs ?? pause) : pause * (0.5 + random.next());
      await sleep(wait);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
    throw new GaveUp();
  }

  return {
    ask: (asked) => untilAnswered(asked, recorder.nextTask()),
    async askTwice(asked) {
      const task = recorder.nextTask();
      const [answer] = await Promise.all([untilAnswered(asked, task, 1), untilAnswered(asked, task, 1_001)]);
      return answer;
    },
    askOnce: (asked) => attempt(asked, recorder.nextTask(), 1),
    close: () => agent.destroy(),
  };
}

/** The checker finds the task that never got an answer. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

// biome-ignore lint/suspicious/noExplicitAny: answers as they come
export function claimsIn(json: any): Seen[] {
  // biome-ignore lint/suspicious/noExplicitAny: answers as they come
  const items: any[] = Array.isArray(json?.data) ? json.data : json?.assignment ? [json] : [];
  return items.flatMap((claim) =>
    claim?.assignment === undefined
      ? []
      : [
          {
            id: claim.id,
            externalId: claim.external_id,
            status: claim.assignment.status,
            adjuster: claim.assignment.adjuster_svc_id,
            respondedAt: claim.assignment.responded_at,
            reason: claim.assignment.rejection_reason,
            createdAt: claim.created_at,
            updatedAt: claim.updated_at,
          },
        ],
  );
}

/** What an adjuster is shown of a firm is of that one firm only. */
// biome-ignore lint/suspicious/noExplicitAny: answers as they come
function mixedTags(json: any): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: answers as they come
  const items: any[] = Array.isArray(json?.data) ? json.data : [json];
  return items.flatMap((item) => {
    const tags = [...new Set(JSON.stringify(item ?? null).match(TAG) ?? [])];
    return tags.length > 1 ? tags : [];
  });
}

function shapeFault(
  status: number,
  header: (name: string) => string | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: answers as they come
  json: any,
): string | null {
  const id = header('x-request-id');
  if (id === undefined) return 'no X-Request-Id';
  if (status < 400) return null;
  if (header('content-type') !== 'application/problem+json') return `Content-Type ${header('content-type')}`;
  const parsed = problemSchema.safeParse(json);
  if (!parsed.success) return 'no problem in the documented shape';
  if (json.request_id !== id) return 'request_id is not X-Request-Id';
  if (!(json.code in ERRORS) || ERRORS[json.code as ErrorCode].status !== status || json.status !== status) {
    return `${json.code} with status ${status}`;
  }
  if ((status === 503 || status === 429) && !/^[1-9]\d*$/.test(header('retry-after') ?? '')) {
    return `Retry-After ${header('retry-after')}`;
  }
  return null;
}
