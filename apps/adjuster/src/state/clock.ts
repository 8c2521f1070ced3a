import { signal } from '@preact/signals';
import { serviceNow } from '../data/api.ts';

/** The service's time, for ages that are shown; updated every half minute. */
export const now = signal(serviceNow());

export function updateClock(): void {
  now.value = serviceNow();
}
