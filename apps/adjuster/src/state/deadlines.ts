import { signal } from '@preact/signals';
import type { DeadlineOverride } from '@svc/domain';
import type { Call } from '../data/endpoints.ts';
import type { Storage } from '../data/storage.ts';
import type { Session } from './session.ts';

const MAX_AGE_MS = 3_600_000;
const RETRY_AFTER_MS = 60_000;

/** Deadlines of single events, as this service's operator has set them. */
export function createDeadlines(call: Call, storage: Storage, session: Session) {
  const overrides = signal<readonly DeadlineOverride[]>([]);
  let readAgainAt = 0;
  return {
    overrides,
    /** Shows what the last visit stored. */
    async restore(): Promise<void> {
      overrides.value = (await storage.get('deadlines').catch(() => undefined)) ?? [];
    },
    async read(): Promise<void> {
      if (Date.now() < readAgainAt) return;
      readAgainAt = Date.now() + RETRY_AFTER_MS;
      const { data } = await session.request(() => call('listDeadlines'));
      const { overridesFrom } = await import('../model/deadlines.ts');
      readAgainAt = Date.now() + MAX_AGE_MS;
      overrides.value = overridesFrom(data);
      await storage.put('deadlines', overrides.value);
    },
  };
}
