// One database and the use cases of the service, on which a schedule of clients and faults is run.

import {
  makeAcceptClaim,
  makeAddMember,
  makeCloseClaimAsOperator,
  makeLeaveFirm,
  makeOfferClaim,
  makeRejectClaim,
  makeRunJob,
  makeSendClaim,
  makeSetMember,
  NO_USED_KEYS,
  type SingleFlight,
} from '@svc/application';
import type { ClaimId, Svcid } from '@svc/domain';
import { createCountingIds } from '@svc/testkit/counting-ids';
import { createFixedClock, type FixedClock } from '@svc/testkit/fixed-clock';
import { createFixture, type TestFirm } from '@svc/testkit/fixture';
import { createSharedMemory, type Pause, type SharedMemory } from './interleaved-stores.ts';

/** Prepared once, and copied for each schedule. */
export interface World {
  readonly shared: SharedMemory;
  readonly firm: TestFirm;
  /** Members of the firm. */
  readonly adjusters: readonly [Svcid, Svcid];
  /** Test accounts: one responds by hand, one by a job. */
  readonly accounts: readonly [Svcid, Svcid];
  /** Claims offered to the first adjuster. */
  readonly claims: readonly ClaimId[];
}

export async function createWorld(): Promise<World> {
  const clock = createFixedClock();
  const shared = createSharedMemory(clock);
  const { newFirm, newMember, sendId } = createFixture(
    { ...shared.alone, jobs: { pending: async () => [] } },
    clock,
  );
  const firm = await newFirm();
  const adjusters = [await newMember(firm), await newMember(firm)] as const;
  const { manual, accepts } = firm.accounts;
  const claims = [await sendId(firm.live, adjusters[0]), await sendId(firm.live, adjusters[0])];
  // Their jobs and those of the invitations belong to the preparation.
  for (const { number } of shared.jobs()) {
    const process = shared.connect({ clock, pause: async () => {} });
    await process.runJob(number, async () => {});
  }
  return { shared, firm, adjusters, accounts: [manual, accepts], claims };
}

/** Shares nothing, as between processes. */
const noSingleFlight: SingleFlight = { run: (_slot, _fingerprint, attempt) => attempt() };
const OPERATOR = { name: 'simulation' };

/** The use cases in one process, which stops where `pause` rejects. */
export function connectProcess(
  shared: SharedMemory,
  clock: FixedClock,
  { series, ...pauses }: { series: number; pause: Pause; onCommit(claims: number): void },
) {
  const { pause } = pauses;
  const { unitOfWork: uow, claimWrites, firmReads, jobReads, runJob } = shared.connect({ clock, ...pauses });
  const ids = createCountingIds(series);
  const firm = {
    claimWrites,
    singleFlight: noSingleFlight,
    usedKeys: NO_USED_KEYS,
    firmReads,
    clock,
    ids,
  };
  const app = { uow, claimWrites, clock, appReads: NO_APP_READS };
  // Memberships need neither secrets nor sessions.
  const operator = { uow, clock, operator: OPERATOR } as unknown as Parameters<typeof makeSetMember>[0];
  return {
    reads: firmReads,
    runJob,
    sendClaim: makeSendClaim(firm),
    offerClaim: makeOfferClaim(firm),
    acceptClaim: makeAcceptClaim(app),
    rejectClaim: makeRejectClaim(app),
    leaveFirm: makeLeaveFirm(app),
    addMember: makeAddMember(operator),
    setMember: makeSetMember(operator),
    closeClaim: makeCloseClaimAsOperator({ uow, clock, operator: OPERATOR }),
    handleJob: makeRunJob({
      uow,
      claimWrites,
      jobReads,
      // No firm has a wait.
      boardReads: { claims: async () => [], offerWaitHours: async () => null },
      firmReads,
      appReads: NO_APP_READS as never,
      // Only invitation emails need them, and nobody is invited.
      secrets: {} as Parameters<typeof makeRunJob>[0]['secrets'],
      clock,
      auditBuffer: { add() {} },
      offerBuffer: { add() {} },
      mailer: { async sendLateOffers() {} },
      webhookNotices: { async paused() {} },
      notifier: {
        async notify() {
          await pause('notify');
          return [];
        },
      },
    }),
  };
}

export type Process = ReturnType<typeof connectProcess>;
type AppReads = Parameters<typeof makeLeaveFirm>[0]['appReads'];
/** The simulated use cases do not read through the app's views. */
const NO_APP_READS = {} as AppReads;
