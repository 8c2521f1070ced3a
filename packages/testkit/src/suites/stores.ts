import { afterAll, beforeAll, describe } from '@jest/globals';
import type { FixedClock } from '../fixed-clock.ts';
import { createFixture, type Fixture, type Stores } from '../fixture.ts';
import { accountsBehaviour } from './stores/accounts.ts';
import { appReadsBehaviour } from './stores/app-reads.ts';
import { carriersBehaviour } from './stores/carriers.ts';
import { claimsBehaviour } from './stores/claims.ts';
import { feedBehaviour } from './stores/feed.ts';
import { idempotencyBehaviour } from './stores/idempotency.ts';
import { isolationBehaviour } from './stores/isolation.ts';
import { membershipsBehaviour } from './stores/memberships.ts';
import { operatorBehaviour } from './stores/operator.ts';
import { outboxBehaviour } from './stores/outbox.ts';
import { racesBehaviour } from './stores/races.ts';
import { rollbackBehaviour } from './stores/rollback.ts';

export interface StoresUnderTest {
  /** Empty at the start. */
  readonly stores: Stores;
  /** The clock by which these stores stamp. */
  readonly clock: FixedClock;
  dispose(): Promise<void>;
}

/**
 * What the stores guarantee, whatever they are made of, told through the use cases and the ports. Every test makes
 * firms of its own, so all run on one set of stores.
 */
export function storesSuite(name: string, makeStores: () => Promise<StoresUnderTest>): void {
  describe(`stores on ${name}`, () => {
    let underTest: StoresUnderTest | undefined;
    let made: Fixture | undefined;
    const bench = (): Fixture => {
      if (made === undefined) throw new Error('the stores are not there yet');
      return made;
    };

    beforeAll(async () => {
      underTest = await makeStores();
      made = createFixture(underTest.stores, underTest.clock);
    });
    afterAll(() => underTest?.dispose());

    claimsBehaviour(bench);
    idempotencyBehaviour(bench);
    membershipsBehaviour(bench);
    carriersBehaviour(bench);
    feedBehaviour(bench);
    isolationBehaviour(bench);
    racesBehaviour(bench);
    rollbackBehaviour(bench);
    appReadsBehaviour(bench);
    accountsBehaviour(bench);
    operatorBehaviour(bench);
    outboxBehaviour(bench);
  });
}
