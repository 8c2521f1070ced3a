import { signal } from '@preact/signals';
import type { Deadline } from '@svc/contract';
import type { DeadlineOverride } from '@svc/domain';
import { call } from '../data/api.ts';
import { storage } from '../data/storage.ts';
import { overridesFrom } from '../model/deadlines.ts';
import { lists } from './lists.ts';
import { request } from './session.ts';

const MAX_AGE_MS = 3_600_000;
const RETRY_AFTER_MS = 60_000;

/** Deadlines of single events, as this service's operator has set them. */
export const deadlineOverrides = signal<readonly DeadlineOverride[]>([]);
let readAgainAt = 0;

/** Shows the deadlines that the last visit stored. */
export async function restoreDeadlines(): Promise<void> {
  deadlineOverrides.value = (await storage.get('deadlines').catch(() => undefined)) ?? [];
}

lists.onCurrent.push(() => void readDeadlines().catch(() => {}));

async function readDeadlines(): Promise<void> {
  if (Date.now() < readAgainAt) return;
  readAgainAt = Date.now() + RETRY_AFTER_MS;
  const { data } = await request(() => call<{ data: readonly Deadline[] }>('GET', 'v1/deadlines'));
  readAgainAt = Date.now() + MAX_AGE_MS;
  deadlineOverrides.value = overridesFrom(data);
  await storage.put('deadlines', deadlineOverrides.value);
}
