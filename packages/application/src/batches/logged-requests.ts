import { type LoggedRequest, type LoggedRequests, latestRequestFirst } from '../model/logged-request.ts';
import { collectRows, type RowCollector } from './batch.ts';

/** Two rows of so many fit into a page of PostgreSQL, which stores them without compressing them. */
const MAX_ROW_REQUESTS = 20;

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
