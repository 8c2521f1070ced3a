import { createFixedClock, failingAfter, storesSuite } from '@svc/testkit';
import { createMemoryStores, memoryClaimWrites } from '../src/index.ts';

for (const everyUnitTwice of [false, true]) {
  storesSuite(everyUnitTwice ? 'memory, each unit run twice' : 'memory', async () => {
    const clock = createFixedClock();
    const stores = createMemoryStores({ clock, everyUnitTwice });
    return {
      stores,
      clock,
      failingAfter(statements) {
        const { uow: unitOfWork, hasFailed } = failingAfter(stores.unitOfWork, statements);
        return { stores: { unitOfWork, claimWrites: memoryClaimWrites(unitOfWork) }, hasFailed };
      },
      dispose: async () => {},
    };
  });
}
