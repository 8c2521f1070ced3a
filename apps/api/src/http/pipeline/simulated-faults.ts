import { LIMITS, SIMULATED_STATUS } from '@svc/contract';
import type { FaultKind } from '@svc/domain';
import { HttpProblem } from '../problems/http-problem.ts';
import type { RouteResponse } from '../routes/route.ts';
import type { AsciiJson } from '../serialization/ascii-json.ts';

const RETRY_AFTER = { 'Retry-After': '1' };
const HEADERS: Partial<Record<FaultKind, Readonly<Record<string, string>>>> = {
  rate_limited: RETRY_AFTER,
  service_unavailable: RETRY_AFTER,
};

/** Quotes in a text are escaped, so nothing but the field is found. A pending claim has no outcome that a client could miss. */
const PENDING = '"status":"pending_acceptance"';
const UNKNOWN = `"status":"${SIMULATED_STATUS}","simulated_new_field":true`;

/** The response as an addition to the interface might change it; the same if it has no pending claim. */
function withUnknownValue(response: RouteResponse): RouteResponse {
  if (response.json?.includes(PENDING) !== true) return response;
  const json = response.json.replaceAll(PENDING, UNKNOWN) as AsciiJson;
  return { ...response, json, hasUnknownValue: true };
}

/** Whether the client can notice the fault. Null: the request has failed. A page that ends early has a cursor. */
export function isNoticeable(kind: FaultKind, response: RouteResponse | null): boolean {
  if (kind === 'unknown_value') return response?.hasUnknownValue === true;
  if (kind === 'dropped_write') return response?.dropped === true;
  return kind !== 'short_page' || response?.json?.includes('"next_cursor":"') === true;
}

/**
 * Responds with a fault that the firm simulates. Slow and dropped requests are processed first, so that a
 * client can test that its retries repeat nothing.
 */
export async function withFault(
  kind: FaultKind,
  isWrite: boolean,
  receive: () => Promise<unknown>,
  respond: () => Promise<RouteResponse>,
  pause: (ms: number) => Promise<unknown>,
): Promise<RouteResponse> {
  switch (kind) {
    case 'slow':
      try {
        return await respond();
      } finally {
        await pause(LIMITS.slowFaultMs);
      }
    case 'dropped':
    case 'dropped_write':
      if (kind === 'dropped_write' && !isWrite) return respond();
      await respond().catch(() => {});
      return { status: 500, dropped: true };
    case 'short_page':
      return respond();
    case 'unknown_value':
      return withUnknownValue(await respond());
    default:
      // So that the log shows whether the same request is sent again.
      await receive().catch(() => {});
      throw new HttpProblem(kind, {
        detail: `Simulated with PUT /v1/test/faults; the request was not processed.`,
        headers: HEADERS[kind] ?? {},
        simulated: true,
      });
  }
}
