import { type ClaimClocks, claimClocksOf, contactForFirm, type FirmId, type Svcid } from '@svc/domain';
import type { ClaimSummary } from '../model/claim-summary.ts';
import type { BoardClaim, BoardReads } from '../ports/board-reads.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobReads } from '../ports/job-reads.ts';

/** What a firm may see of an adjuster. */
export interface SeenAdjuster {
  /** Null unless they are an active member. */
  readonly name: string | null;
  readonly sharesClocks: boolean;
}

export async function seenAdjusters(
  boardReads: Pick<BoardReads, 'members'>,
  firmId: FirmId,
  svcIds: readonly Svcid[],
): Promise<ReadonlyMap<Svcid, SeenAdjuster>> {
  const members = svcIds.length === 0 ? [] : await boardReads.members(firmId, [...new Set(svcIds)]);
  return new Map(
    members.map(({ membership, adjuster }) => [
      adjuster.svcId,
      {
        name: contactForFirm(membership, adjuster).name,
        sharesClocks: membership.status === 'active' && membership.sharing.clocks,
      },
    ]),
  );
}

export type ClockSettings = Awaited<ReturnType<typeof clockSettings>>;

/** Of an accepted claim whose adjuster agrees; null otherwise. */
export function sharedClocks(
  claim: Pick<BoardClaim, 'status' | 'respondedAt' | 'closedAt' | 'steps'>,
  { carrier, catCode }: Pick<ClaimSummary, 'carrier' | 'catCode'>,
  adjuster: SeenAdjuster | undefined,
  { clocks, overrides, now }: ClockSettings,
): ClaimClocks | null {
  const { status, respondedAt: acceptedAt, closedAt, steps } = claim;
  if (adjuster?.sharesClocks !== true || status !== 'accepted' || acceptedAt === null) return null;
  return claimClocksOf(
    { ...steps, acceptedAt, closedAt, carrier, catCode: catCode ?? null },
    clocks,
    overrides,
    now,
  );
}

export interface ClockReads {
  readonly boardReads: Pick<BoardReads, 'clocks'>;
  readonly jobReads: Pick<JobReads, 'deadlineOverrides'>;
  readonly clock: Clock;
}

export async function clockSettings({ boardReads, jobReads, clock }: ClockReads, firmId: FirmId) {
  const [clocks, overrides] = await Promise.all([boardReads.clocks(firmId), jobReads.deadlineOverrides()]);
  return { clocks, overrides, now: clock.now() };
}
