import type { Clock } from '@svc/application';
import type { ReportErrorBody } from '@svc/contract';
import type { Log } from '../../logging.ts';

const MINUTE_MS = 60_000;
/** Logged per minute and process: one faulty release reports from every device at once. */
const MAX_PER_MINUTE = 30;

/** Writes errors that the adjuster app reports to the log. */
export function createErrorReports({ log, clock }: { log: Log; clock: Clock }) {
  let minute = 0;
  let reported = 0;
  return (report: ReportErrorBody): void => {
    const now = Math.floor(clock.now() / MINUTE_MS);
    if (now !== minute) [minute, reported] = [now, 0];
    reported += 1;
    if (reported <= MAX_PER_MINUTE) log.warn('error in the adjuster app', { ...report });
    if (reported === MAX_PER_MINUTE) log.warn('more errors in the adjuster app are not logged this minute');
  };
}
