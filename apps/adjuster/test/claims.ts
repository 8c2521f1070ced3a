import { type AppClaim, EXAMPLES, type Profile } from '@svc/contract';

const { adjuster_svc_id, ...example } = EXAMPLES.sendClaim.body as Record<string, unknown>;

let made = 0;

/** An offer as the app receives it. */
export function offer(changes: Partial<AppClaim> = {}): AppClaim {
  made += 1;
  return {
    ...(example as unknown as AppClaim),
    id: `claim-${String(made).padStart(4, '0')}`,
    test: false,
    created_at: '2026-08-29T13:00:00.000Z',
    updated_at: '2026-08-29T15:00:00.000Z',
    offered_at: '2026-08-29T14:00:00.000Z',
    closed_at: null,
    firm: { id: 'firm-1', name: 'Gulf Adjusting Partners' },
    work: { version: 'v1' },
    assignment: {
      status: 'pending_acceptance',
      adjuster_svc_id: String(adjuster_svc_id),
      responded_at: null,
      rejection_reason: null,
    },
    ...changes,
  };
}

/** A claim accepted at that time. */
export const ownClaim = (acceptedAt: string, changes: Partial<AppClaim> = {}): AppClaim =>
  offer({
    ...changes,
    assignment: {
      status: 'accepted',
      adjuster_svc_id: String(adjuster_svc_id),
      responded_at: acceptedAt,
      rejection_reason: null,
    },
  });

export const PROFILE: Profile = {
  ...{ svc_id: 'SVC-1', test: false, first_name: 'Jean', last_name: 'Delacroix' },
  ...{ email: 'jean@example.com', firms: [] },
  availability: { accepting_assignments: true, away: [], max_open_offers: null, work_zip: null },
};
