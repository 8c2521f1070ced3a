import { createFixedClock, failingAfter, storesSuite } from '@svc/testkit';
import { createMemoryStores, memoryClaimWrites } from '../src/index.ts';

// On PostgreSQL each unit runs once.
storesSuite('memory, each unit run twice', async () => {
  const clock = createFixedClock();
  const stores = createMemoryStores({ clock, everyUnitTwice: true });
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
