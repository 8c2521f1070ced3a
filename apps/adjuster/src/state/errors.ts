import type { ReportErrorBody } from '@svc/contract';
import { ApiError, call, NetworkError } from '../data/api.ts';
import { errorReport } from '../model/error-report.ts';
import { route } from '../navigation.ts';
import { isSignedIn } from './session.ts';

/** One fault can repeat with each rendering; the service gets the first few of a visit. */
const MAX_REPORTS = 5;
const reported = new Set<string>();

/** Tells the operator about an error of the app, without what it was about. */
export function reportError(error: unknown): void {
  if (error instanceof NetworkError || error instanceof ApiError || !isSignedIn()) return;
  const report: ReportErrorBody = errorReport(error, route.peek().screen);
  const key = JSON.stringify(report);
  if (reported.has(key) || reported.size >= MAX_REPORTS) return;
  reported.add(key);
  void call('POST', 'v1/error-reports', report).catch(() => {});
}

addEventListener('error', ({ error }) => reportError(error));
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));
