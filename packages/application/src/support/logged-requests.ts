import { type LoggedRequest, type LoggedRequests, latestRequestFirst } from '../ports/request-log.ts';
import { collectRows, type RowCollector } from './batch.ts';

/**
 * Requests in one row: about 3 kB, which PostgreSQL stores without compressing them. At 200 a request takes it twice the
 * processor time, at 50 almost the same as at 25.
 */
const MAX_ROW_REQUESTS = 25;

export function collectLoggedRequests(): RowCollector<LoggedRequest, LoggedRequests> {
  const { add, take } = collectRows<LoggedRequest, [LoggedRequest, ...LoggedRequest[]]>({
    keyOf: ({ firmId }) => firmId,
    start: (request) => [request],
    extend(row, request) {
      const fits = row.length < MAX_ROW_REQUESTS;
      if (fits) row.push(request);
      return fits;
    },
  });
  return {
    add,
    take() {
      const rows = take();
      for (const row of rows) row.sort(latestRequestFirst);
      return rows;
    },
  };
}
