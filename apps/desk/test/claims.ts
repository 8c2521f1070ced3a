import { EXAMPLES } from '@svc/contract';
import type { BoardAdjuster, BoardClaim, OwnStaff } from '../src/endpoints.ts';

const [CLAIM] = (EXAMPLES.listBoardClaims.response as { data: [BoardClaim] }).data;
const [ADJUSTER] = (EXAMPLES.listBoardAdjusters.response as { data: [BoardAdjuster] }).data;
export const DISPATCHER = EXAMPLES.getOwnStaff.response as OwnStaff;

let count = 0;

const PENDING = {
  ...{ status: 'pending_acceptance', waiting_since: CLAIM.offered_at },
  ...{ responded_at: null, closed_at: null, clocks: null },
};

/** A claim on the board that waits for a response. */
export function boardClaim(changes: Partial<BoardClaim> = {}): BoardClaim {
  count += 1;
  const id = `0b9f6a52-3c0e-4a53-8f57-${String(count).padStart(12, '0')}`;
  return { ...CLAIM, ...PENDING, id, ...changes };
}

/** One who has no work. */
export const adjuster = (svc_id: string, changes: Partial<BoardAdjuster> = {}): BoardAdjuster => ({
  ...ADJUSTER,
  ...{ svc_id, name: svc_id, open_offers: 0, open_claims: 0, warnings: [] },
  ...{ expires_at: null, reminded_at: null, rejected_at: null },
  ...changes,
});
