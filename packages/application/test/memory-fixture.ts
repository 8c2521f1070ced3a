import { createMemoryStores, type MemoryStores } from '@svc/adapter-memory';
import { type Bench, createBench, createFixedClock } from '@svc/testkit';

/** The use cases on fresh stores in memory. */
export function memoryBench(): Bench & { readonly memory: MemoryStores } {
  const clock = createFixedClock();
  const memory = createMemoryStores({ clock });
  return { ...createBench(memory, clock), memory };
}
