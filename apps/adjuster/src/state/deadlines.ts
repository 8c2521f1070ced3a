import { signal } from '@preact/signals';
import type { Deadline } from '@svc/contract';
import type { DeadlineOverride } from '@svc/domain';
import { listAll } from '../data/api.ts';
import { storage } from '../data/storage.ts';
import { overridesFrom } from '../model/deadlines.ts';
import { lists } from './lists.ts';
import { request } from './session.ts';

const MAX_AGE_MS = 3_600_000;

/** Deadlines of single events, as this service's operator has set them. */
export const deadlineOverrides = signal<readonly DeadlineOverride[]>([]);
let readAt = 0;

lists.onRead.push(async () => {
  if (Date.now() - readAt < MAX_AGE_MS) return;
  if (readAt === 0) deadlineOverrides.value = (await storage.get('deadlines').catch(() => {})) ?? [];
  readAt = Date.now();
  try {
    deadlineOverrides.value = overridesFrom(await request(() => listAll<Deadline>('v1/deadlines')));
    await storage.put('deadlines', deadlineOverrides.value);
  } catch {
    readAt = 1; // read again with the lists
  }
});
