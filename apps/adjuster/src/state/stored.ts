import { signal } from '@preact/signals';
import { provideMemory } from '../data/database.ts';

/** False where the browser stores nothing: answers and notes then last as long as the page. */
export const isStored = signal(true);

provideMemory(async () => {
  await import('fake-indexeddb/auto');
  isStored.value = false;
});
