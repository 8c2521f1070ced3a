import { createMemoryStores, type MemoryStores } from '@svc/adapter-memory';
import { createFixedClock, createFixture, type Fixture } from '@svc/testkit';

/** The use cases on new in-memory stores. */
export function memoryFixture(): Fixture & { readonly memory: MemoryStores } {
  const clock = createFixedClock();
  const memory = createMemoryStores({ clock });
  return { ...createFixture(memory, clock), memory };
}
