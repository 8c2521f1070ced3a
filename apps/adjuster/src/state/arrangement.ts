import { computed, signal } from '@preact/signals';
import { storage } from '../data/storage.ts';
import { type Arrangement, arrange, DEFAULT_ARRANGEMENT } from '../model/arrange.ts';
import { openOffers } from './answers.ts';
import { distanceOf } from './places.ts';
import { session } from './session.ts';

/** How the adjuster wants to see the offers. */
export const arrangement = signal<Arrangement>(DEFAULT_ARRANGEMENT);

export function changeArrangement(changes: Partial<Arrangement>): void {
  arrangement.value = { ...arrangement.value, ...changes };
  void storage.put('arrangement', { ...arrangement.value, search: '' }).catch(() => {});
}

export async function restoreArrangement(): Promise<void> {
  arrangement.value = (await storage.get('arrangement').catch(() => undefined)) ?? DEFAULT_ARRANGEMENT;
}

export const arrangedOffers = computed(() =>
  arrange(openOffers.value ?? [], arrangement.value, distanceOf.value),
);

session.onForget.push(() => {
  arrangement.value = DEFAULT_ARRANGEMENT;
});
