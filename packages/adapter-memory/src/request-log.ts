import type { LoggedRequest, RequestLogStore } from '@svc/application';
import { compareText } from './pages.ts';

type Position = Pick<LoggedRequest, 'at' | 'requestId'>;

const latestFirst = (one: Position, other: Position): number =>
  other.at - one.at || compareText(other.requestId, one.requestId);

/** The request log in memory. */
export function createMemoryRequestLog(): RequestLogStore {
  const stored = new Map<string, LoggedRequest>();
  return {
    async append(requests) {
      for (const request of requests) {
        const key = `${request.firmId} ${request.requestId}`;
        if (!stored.has(key)) stored.set(key, { ...request, places: [...request.places] });
      }
    },
    async requestsOf(firmId, { requestId, limit, after }) {
      return [...stored.values()]
        .filter(
          (request) =>
            request.firmId === firmId && (requestId === undefined || request.requestId === requestId),
        )
        .filter((request) => after === undefined || latestFirst(after, request) < 0)
        .sort(latestFirst)
        .slice(0, limit)
        .map((request) => ({ ...request, places: [...request.places] }));
    },
  };
}
