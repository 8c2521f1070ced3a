import type { BoardAdjuster, BoardClaim, OwnStaff } from '../src/endpoints.ts';

let count = 0;

/** A claim on the board. */
export function boardClaim(changes: Partial<BoardClaim> = {}): BoardClaim {
  count += 1;
  return {
    id: `0b9f6a52-3c0e-4a53-8f57-${String(count).padStart(12, '0')}`,
    ...{ test: false, external_id: `EXT-${count}`, claim_number: `FL26-${count}`, name: 'Marisol Delgado' },
    place: { street: '1420 Seagrape Lane', city: 'Fort Myers Beach', state: 'FL', zip: '33931' },
    ...{
      carrier: 'Palmetto Mutual Insurance',
      status: 'rejected',
      adjuster_svc_id: 'SVC-0',
      adjuster_name: null,
    },
    offered_at: '2026-08-29T14:52:07.113Z',
    responded_at: null,
    waiting_since: '2026-08-29T14:52:07.113Z',
    late: false,
    updated_at: '2026-08-29T14:52:07.113Z',
    closed_at: null,
    ...changes,
  };
}

export const adjuster = (svc_id: string, changes: Partial<BoardAdjuster> = {}): BoardAdjuster => ({
  ...{ svc_id, status: 'active', test: false, name: svc_id, email: null, invited_at: null, expires_at: null },
  ...{ responded_at: null, invited_as: null, invited_by: null, purpose: null, note: null },
  ...{ can_accept_claims: true, accepting_assignments: true, open_offers: 0, open_claims: 0 },
  median_answer_seconds: null,
  ...changes,
});

export const DISPATCHER: OwnStaff = {
  staff: { id: 's1', email: 'priya@example.com', name: 'Priya Natarajan', role: 'dispatcher' },
  firm: { id: 'f1', name: 'Gulf Adjusting Partners', plan: 'standard' },
  permissions: ['claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
  firms: [{ id: 'f1', name: 'Gulf Adjusting Partners' }],
};
