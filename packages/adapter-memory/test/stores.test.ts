import { createFixedClock, storesSuite } from '@svc/testkit';
import { createMemoryStores } from '../src/index.ts';

for (const everyUnitTwice of [false, true]) {
  storesSuite(everyUnitTwice ? 'memory, each unit outrun once' : 'memory', async () => {
    const clock = createFixedClock();
    return { stores: createMemoryStores({ clock, everyUnitTwice }), clock, dispose: async () => {} };
  });
}
