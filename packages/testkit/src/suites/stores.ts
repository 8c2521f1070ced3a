import { afterAll, beforeAll, describe } from '@jest/globals';
import type { FixedClock } from '../fixed-clock.ts';
import { createFixture, type Fixture, type TestStores } from '../fixture.ts';
import type { FailingStores } from '../injected-faults.ts';
import { accountsBehavior } from './stores/accounts.ts';
import { appReadsBehavior } from './stores/app-reads.ts';
import { auditBehavior } from './stores/audit.ts';
import { availabilityBehavior } from './stores/availability.ts';
import { boardBehavior } from './stores/board.ts';
import { carriersBehavior } from './stores/carriers.ts';
import { claimsBehavior } from './stores/claims.ts';
import { clocksBehavior } from './stores/clocks.ts';
import { concurrentRequestsBehavior } from './stores/concurrent-requests.ts';
import { credentialsBehavior } from './stores/credentials.ts';
import { endedOffersBehavior } from './stores/ended-offers.ts';
import { feedBehavior } from './stores/feed.ts';
import { exportedRequestsBehavior, firmDataBehavior } from './stores/firm-data.ts';
import { idempotencyBehavior } from './stores/idempotency.ts';
import { importsBehavior } from './stores/imports.ts';
import { invitationsBehavior } from './stores/invitations.ts';
import { isolationBehavior } from './stores/isolation.ts';
import { keysBehavior } from './stores/keys.ts';
import { membershipsBehavior } from './stores/memberships.ts';
import { offBoardingBehavior } from './stores/off-boarding.ts';
import { offerHistoryBehavior } from './stores/offer-history.ts';
import { operatorBehavior } from './stores/operator.ts';
import { outboxBehavior } from './stores/outbox.ts';
import { pageSizeBehavior } from './stores/page-size.ts';
import { passkeysBehavior } from './stores/passkeys.ts';
import { racesBehavior } from './stores/races.ts';
import { rollbackBehavior } from './stores/rollback.ts';
import { sandboxBehavior } from './stores/sandbox.ts';
import { staffBehavior } from './stores/staff.ts';
import { webhooksBehavior } from './stores/webhooks.ts';

export interface StoresUnderTest {
  /** Initially empty. */
  readonly stores: TestStores;
  /** The clock the stores use for change timestamps. */
  readonly clock: FixedClock;
  /** The same stores, each of whose transactions fails after this number of statements. */
  failingAfter(statements: number): FailingStores;
  dispose(): Promise<void>;
}

type Behavior = (fixture: () => Fixture, failingAfter: StoresUnderTest['failingAfter']) => void;

/** Those that write and read names, addresses or other personal text, which an adapter may encrypt. */
export const PERSONAL_DATA_BEHAVIORS = [
  claimsBehavior,
  concurrentRequestsBehavior,
  clocksBehavior,
  membershipsBehavior,
  invitationsBehavior,
  carriersBehavior,
  appReadsBehavior,
  pageSizeBehavior,
  accountsBehavior,
  staffBehavior,
  passkeysBehavior,
  keysBehavior,
  availabilityBehavior,
  credentialsBehavior,
  auditBehavior,
  offBoardingBehavior,
  firmDataBehavior,
  webhooksBehavior,
  offerHistoryBehavior,
  endedOffersBehavior,
] as const;

/** Of what only the desk shows and of logged requests, which are not kept in memory; with personal data. */
export const DESK_BEHAVIORS = [boardBehavior, exportedRequestsBehavior] as const;

export const OTHER_BEHAVIORS = [
  rollbackBehavior,
  idempotencyBehavior,
  feedBehavior,
  isolationBehavior,
  racesBehavior,
  operatorBehavior,
  outboxBehavior,
  sandboxBehavior,
  importsBehavior,
] as const;

/** Of claims and offers, those that run statements which Citus gets in another form. */
export const CITUS_CLAIM_BEHAVIORS = [
  claimsBehavior,
  carriersBehavior,
  appReadsBehavior,
  offerHistoryBehavior,
  idempotencyBehavior,
] as const;

/** All that run such statements. */
export const CITUS_BEHAVIORS = [
  ...CITUS_CLAIM_BEHAVIORS,
  concurrentRequestsBehavior,
  membershipsBehavior,
  invitationsBehavior,
  accountsBehavior,
  availabilityBehavior,
  auditBehavior,
  offBoardingBehavior,
  webhooksBehavior,
  endedOffersBehavior,
  feedBehavior,
  isolationBehavior,
  racesBehavior,
  operatorBehavior,
  firmDataBehavior,
  ...DESK_BEHAVIORS,
] as const;

/**
 * The guarantees of every store implementation, tested through use cases and ports. Tests create their own firms, so
 * all share one set of stores.
 */
export function storesSuite(
  name: string,
  makeStores: () => Promise<StoresUnderTest>,
  behaviors: readonly Behavior[] = [...PERSONAL_DATA_BEHAVIORS, ...OTHER_BEHAVIORS],
): void {
  describe(`stores on ${name}`, () => {
    let underTest: StoresUnderTest | undefined;
    let current: Fixture | undefined;
    const ready = <T>(value: T | undefined): T => {
      if (value === undefined) throw new Error('stores are not ready');
      return value;
    };

    beforeAll(async () => {
      underTest = await makeStores();
      current = createFixture(underTest.stores, underTest.clock);
    });
    afterAll(() => underTest?.dispose());

    for (const behavior of behaviors)
      behavior(
        () => ready(current),
        (statements) => ready(underTest).failingAfter(statements),
      );
  });
}
