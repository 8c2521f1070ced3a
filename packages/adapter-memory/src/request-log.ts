import {
  type LimitedRequests,
  type LoggedRequest,
  type LoggedRequests,
  latestRequestFirst,
  type RequestLogStore,
} from '@svc/application';
import { DAY, type FirmId } from '@svc/domain';

/** The request log in memory. */
export function createMemoryRequestLog(): RequestLogStore {
  const stored = new Map<string, LoggedRequest>();
  const ofFirm = (id: FirmId): LoggedRequest[] =>
    [...stored.values()]
      .filter(({ firmId }) => firmId === id)
      .sort(latestRequestFirst)
      .map((request) => ({ ...request, places: [...request.places] }));
  return {
    async append(requests) {
      for (const request of requests) {
        const key = `${request.firmId} ${request.requestId}`;
        if (!stored.has(key)) stored.set(key, { ...request, places: [...request.places] });
      }
    },
    async requestsOf(firmId, { requestId, limit }) {
      return ofFirm(firmId)
        .filter((request) => requestId === undefined || request.requestId === requestId)
        .slice(0, limit);
    },
    async behaviorOf(firmId, since, limit) {
      return ofFirm(firmId)
        .filter(({ at, behavior }) => behavior !== undefined && at >= since)
        .slice(0, limit);
    },
    async limitedOf(firmId, since, maxElements) {
      const all = ofFirm(firmId).filter(({ at, status }) => status === 429 && at >= since);
      const counted = all.slice(0, maxElements);
      const counts = new Map<string, LimitedRequests['counts'][number]>();
      for (const { keyId, environment, at } of counted) {
        const day = Math.floor(at / DAY);
        const count = (counts.get(`${keyId} ${day}`)?.count ?? 0) + 1;
        counts.set(`${keyId} ${day}`, { keyId, environment, day, count });
      }
      const oldest = all.length < maxElements ? undefined : counted.at(-1);
      return { counts: [...counts.values()], since: oldest?.at ?? since };
    },
    async pageOf(firmId, after, limit) {
      return ofFirm(firmId)
        .filter((request) => after === null || latestRequestFirst(after, request) < 0)
        .slice(0, limit)
        .map((request): LoggedRequests => [request]);
    },
    async busiestKeys(since, limit) {
      const byKey = new Map<string, LoggedRequest[]>();
      for (const request of stored.values()) {
        if (request.at < since) continue;
        const key = `${request.firmId} ${request.keyId}`;
        byKey.set(key, [...(byKey.get(key) ?? []), request]);
      }
      const count = (requests: LoggedRequest[], from: number, to: number): number =>
        requests.filter(({ status }) => status !== null && status >= from && status <= to).length;
      return [...byKey.values()]
        .flatMap((requests) => {
          const [one] = requests;
          if (one === undefined) return [];
          const { firmId, keyId } = one;
          const limited = count(requests, 429, 429);
          return [{ firmId, keyId, requests: requests.length, limited, failed: count(requests, 500, 599) }];
        })
        .sort((a, b) => b.requests - a.requests || (a.keyId < b.keyId ? -1 : 1))
        .slice(0, limit);
    },
  };
}
