import type { LoggedRequest, RequestLogStore } from '@svc/application';

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
    async requestsOf(firmId, { requestId, limit }) {
      return [...stored.values()]
        .filter(
          (request) =>
            request.firmId === firmId && (requestId === undefined || request.requestId === requestId),
        )
        .sort((one, other) => other.at - one.at || (other.requestId < one.requestId ? -1 : 1))
        .slice(0, limit)
        .map((request) => ({ ...request, places: [...request.places] }));
    },
  };
}
