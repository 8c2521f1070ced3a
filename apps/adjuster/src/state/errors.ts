import type { ReportErrorBody } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import type { Call } from '../data/endpoints.ts';
import { errorReport } from '../model/error-report.ts';

/** One fault can repeat with each rendering; the service gets the first few of a visit. */
const MAX_REPORTS = 5;

/** Tells the operator about errors of the app, without what they were about. */
export function createErrorReporter(call: Call, isSignedIn: () => boolean, screen: () => string) {
  const reported = new Set<string>();
  return (error: unknown): void => {
    if (error instanceof NetworkError || error instanceof ApiError || !isSignedIn()) return;
    const report: ReportErrorBody = errorReport(error, screen());
    const key = JSON.stringify(report);
    if (reported.has(key) || reported.size >= MAX_REPORTS) return;
    reported.add(key);
    void call('reportError', { body: report }).catch(() => {});
  };
}
