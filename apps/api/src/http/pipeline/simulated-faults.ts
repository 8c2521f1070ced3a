import type { FaultKind } from '@svc/application';
import { LIMITS } from '@svc/contract';
import { HttpProblem } from '../problems/http-problem.ts';
import type { RouteResponse } from '../routes/route.ts';

const RETRY_AFTER = { 'Retry-After': '1' };
const HEADERS: Partial<Record<FaultKind, Readonly<Record<string, string>>>> = {
  rate_limited: RETRY_AFTER,
  service_unavailable: RETRY_AFTER,
};

/**
 * Responds with a fault that the firm simulates. Slow and dropped requests are processed first, so that a
 * client can test that its retries repeat nothing.
 */
export async function withFault(
  kind: FaultKind,
  process: () => Promise<RouteResponse>,
  pause: (ms: number) => Promise<unknown>,
): Promise<RouteResponse> {
  switch (kind) {
    case 'slow':
      try {
        return await process();
      } finally {
        await pause(LIMITS.slowFaultMs);
      }
    case 'dropped':
      await process().catch(() => {});
      return { status: 500, dropped: true };
    default:
      throw new HttpProblem(kind, {
        detail: `Simulated with PUT /v1/test/faults; the request was not processed.`,
        headers: HEADERS[kind] ?? {},
        simulated: true,
      });
  }
}
