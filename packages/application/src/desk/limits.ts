import { DAY, existing, type FirmId, limitsOf } from '@svc/domain';
import { isWorkingKey } from '../model/api-key.ts';
import { REQUEST_LOG_RETENTION_MS } from '../model/logged-request.ts';
import type { Needs } from '../ports/needs.ts';

const DAYS = REQUEST_LOG_RETENTION_MS / DAY;
/** Each has up to twenty requests, and takes some microseconds. */
const MAX_COUNTED_ELEMENTS = 2000;
const MAX_KEYS = 200;
/** Also those that no longer work. */
const MAX_READ_KEYS = 1000;

/** How near a firm comes to the limits of its keys. */
export const makeReadLimits =
  (deps: Needs<'operatorReads' | 'requestLog' | 'rateLimiter' | 'clock'>) => async (firmId: FirmId) => {
    const now = deps.clock.now();
    const firstDay = Math.floor(now / DAY) - DAYS + 1;
    const [found, { rows: all }, limited] = await Promise.all([
      deps.operatorReads.firm(firmId),
      deps.operatorReads.keyPage(firmId, { after: null, limit: MAX_READ_KEYS }),
      deps.requestLog.limitedOf(firmId, firstDay * DAY, MAX_COUNTED_ELEMENTS),
    ]);
    const firm = existing(found, 'No such firm.');
    const days = Array.from({ length: DAYS }, (_, n) => ({ at: (firstDay + n) * DAY, live: 0, test: 0 }));
    const ofKey = new Map(all.map((key) => [key.id, { key, limited: 0 }]));
    for (const { keyId, environment, day, count } of limited.counts) {
      const [key, counted] = [ofKey.get(keyId), days[day - firstDay]];
      if (counted === undefined) continue;
      counted[environment] += count;
      if (key !== undefined) key.limited += count;
    }
    const working = [...ofKey.values()].filter(({ key }) => isWorkingKey(key, now)).slice(0, MAX_KEYS);
    // Of one tick: the limiter combines them into one command.
    const keys = await Promise.all(
      working.map(async ({ key, limited }) => {
        const used = await deps.rateLimiter.peek(key.id, limitsOf(key.environment, firm.limits));
        return { key, used, limited };
      }),
    );
    return {
      firm,
      /** Those that work now, latest first, with how many of their requests were limited. */
      keys,
      /** Limited requests of each UTC day, today last. */
      days,
      countedSince: limited.since,
    };
  };

export type FirmLimits = Awaited<ReturnType<ReturnType<typeof makeReadLimits>>>;
