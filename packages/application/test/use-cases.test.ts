import { createMemoryStores, memoryClaimWrites } from '@svc/adapter-memory';
import { createFixedClock, failingAfter, storesSuite } from '@svc/testkit';

// Each unit runs once here: one that needs its second run fails, which it does not where each runs twice.
storesSuite('use cases in memory', async () => {
  const clock = createFixedClock();
  const stores = createMemoryStores({ clock });
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
