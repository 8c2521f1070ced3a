import type { LoggedRequest, RequestLogStore } from '@svc/application';

/** The request log in the process. */
export function createMemoryRequestLog(): RequestLogStore {
  const held = new Map<string, LoggedRequest>();
  return {
    async append(requests) {
      for (const request of requests) {
        const key = `${request.firmId} ${request.requestId}`;
        if (!held.has(key)) held.set(key, { ...request, places: [...request.places] });
      }
    },
    async requestsOf(firmId, { requestId, limit }) {
      return [...held.values()]
        .filter((one) => one.firmId === firmId && (requestId === undefined || one.requestId === requestId))
        .sort((one, other) => other.at - one.at || (other.requestId < one.requestId ? -1 : 1))
        .slice(0, limit)
        .map((one) => ({ ...one, places: [...one.places] }));
    },
  };
}
