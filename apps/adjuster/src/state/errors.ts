import type { ReportErrorBody } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import type { Call } from '../data/endpoints.ts';

/** One fault can repeat with each rendering; the service gets the first few of a visit. */
const MAX_REPORTS = 5;

/** Tells the operator about errors of the app, without what they were about. */
export function createErrorReporter(call: Call, isSignedIn: () => boolean, screen: () => string) {
  const reported = new Set<string>();
  async function send(error: unknown): Promise<void> {
    // Not part of the first load.
    const { errorReport } = await import('../model/error-report.ts');
    const report: ReportErrorBody = errorReport(error, screen());
    const key = JSON.stringify(report);
    if (reported.has(key) || reported.size >= MAX_REPORTS) return;
    reported.add(key);
    await call('reportError', { body: report });
  }
  return (error: unknown): void => {
    if (error instanceof NetworkError || error instanceof ApiError || !isSignedIn()) return;
    void send(error).catch(() => {});
  };
}
