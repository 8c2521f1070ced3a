import type { Clock, Metrics, SignInMonitor } from '@svc/application';
import { MINUTE } from '@svc/domain';

/** Failures within a minute, in this process, that are logged as a warning. */
const ALERT_THRESHOLD = 50;

/** Counts failed sign-ins and logs one warning per minute in which there are many: someone may be guessing. */
export function createSignInMonitor(deps: {
  log: { warn(message: string, fields: Record<string, unknown>): void };
  clock: Clock;
  metrics: Metrics;
}): SignInMonitor {
  let minute = Number.NEGATIVE_INFINITY;
  let inMinute = 0;
  return {
    count(failure) {
      deps.metrics.signInFailed(failure);
      const current = Math.floor(deps.clock.now() / MINUTE);
      if (current !== minute) [minute, inMinute] = [current, 0];
      inMinute += 1;
      if (inMinute === ALERT_THRESHOLD)
        deps.log.warn('many failed sign-ins', { failures_in_this_minute: inMinute });
    },
  };
}
