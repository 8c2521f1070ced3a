import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import type { Storage } from '../data/storage.ts';
import { type Arrangement, arrange, DEFAULT_ARRANGEMENT, type DistanceOf } from '../model/arrange.ts';

/** How the adjuster wants to see the offers. */
export function createArrangement(
  storage: Storage,
  openOffers: ReadonlySignal<readonly AppClaim[] | undefined>,
  distanceOf: ReadonlySignal<DistanceOf>,
) {
  const arrangement = signal<Arrangement>(DEFAULT_ARRANGEMENT);
  return {
    arrangement,
    arrangedOffers: computed(() => arrange(openOffers.value ?? [], arrangement.value, distanceOf.value)),
    change(changes: Partial<Arrangement>): void {
      arrangement.value = { ...arrangement.value, ...changes };
      void storage.put('arrangement', arrangement.value).catch(() => {});
    },
    async restore(): Promise<void> {
      arrangement.value = (await storage.get('arrangement').catch(() => undefined)) ?? DEFAULT_ARRANGEMENT;
    },
    forget(): void {
      arrangement.value = DEFAULT_ARRANGEMENT;
    },
  };
}
