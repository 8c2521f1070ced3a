import type { Clock, SignInFailure, SignInMonitor } from '@svc/application';
import { MINUTE } from '@svc/domain';
import type { Log } from '../logging.ts';

/** Failures within a minute, in this process, that are logged as a warning. */
const ALERT_THRESHOLD = 50;

export interface CountingSignInMonitor extends SignInMonitor {
  /** Since the process started. */
  counts(): Readonly<Record<SignInFailure, number>>;
}

/** Counts failed sign-ins and logs one warning per minute in which there are many: someone may be guessing. */
export function createSignInMonitor({ log, clock }: { log: Log; clock: Clock }): CountingSignInMonitor {
  const totals: Record<SignInFailure, number> = {
    refused: 0,
    not_requested_here: 0,
    paused: 0,
    code_not_mailed: 0,
  };
  let minute = Number.NEGATIVE_INFINITY;
  let inMinute = 0;
  return {
    count(failure) {
      totals[failure] += 1;
      const current = Math.floor(clock.now() / MINUTE);
      if (current !== minute) [minute, inMinute] = [current, 0];
      inMinute += 1;
      if (inMinute === ALERT_THRESHOLD)
        log.warn('many failed sign-ins', {
          sign_ins_failed_per_minute: inMinute,
          sign_in_failures: { ...totals },
        });
    },
    counts: () => ({ ...totals }),
  };
}
