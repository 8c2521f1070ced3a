import {
  type AdjusterView,
  type FirmMembershipView,
  type InvitationView,
  type Passkey,
  type Profile,
  type Session,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import type { InvitationResult, InviteAdjusterBody, UpdateAvailabilityBody } from '@svc/contract';
import {
  type Adjuster,
  ALWAYS_AVAILABLE,
  type Availability,
  contactForFirm,
  DEADLINE_RULES,
  type DeadlineOverride,
  type DomainError,
  type Instant,
  type InvitationNotes,
  type Membership,
  missingProfileFields,
  type Sharing,
  type Svcid,
  statusAt,
} from '@svc/domain';
import { asHttpProblem } from '../problems/http-problem.ts';

export const notesFromWire = (body: InviteAdjusterBody): InvitationNotes => ({
  invitedAs: body.invited_as ?? null,
  invitedBy: body.invited_by ?? null,
  purpose: body.purpose ?? null,
  note: body.note ?? null,
});

/** An adjuster as the firm sees them at `now`. */
export function adjusterToWire({ membership, adjuster }: AdjusterView, now: Instant) {
  const status = statusAt(membership, now);
  return {
    svc_id: membership.svcId,
    status,
    test: adjuster.testOf !== null,
    ...contactForFirm(membership, adjuster),
    invited_at: toDateTimeOrNull(membership.invitedAt),
    expires_at: status === 'pending' ? toDateTimeOrNull(membership.expiresAt) : null,
    responded_at: toDateTimeOrNull(membership.respondedAt),
    invited_as: membership.notes.invitedAs,
    invited_by: membership.notes.invitedBy,
    purpose: membership.notes.purpose,
    note: membership.notes.note,
  };
}

/** One for each entry of the list; an adjuster who is in it again is a duplicate there. */
export function invitationResults(
  svcIds: readonly Svcid[],
  refused: ReadonlyMap<Svcid, DomainError>,
): InvitationResult[] {
  const seen = new Set<Svcid>();
  return svcIds.map((svc_id) => {
    if (seen.has(svc_id))
      return { svc_id, outcome: 'duplicate', detail: 'This SVCID is in the list more than once.' };
    seen.add(svc_id);
    const error = refused.get(svc_id);
    if (error === undefined) return { svc_id, outcome: 'invited', status: 'pending' };
    const { code: outcome, message: detail } = asHttpProblem(error);
    if (outcome === 'already_member') return { svc_id, outcome, status: 'active', detail };
    if (outcome === 'invitation_pending') return { svc_id, outcome, status: 'pending', detail };
    return { svc_id, outcome, detail };
  });
}

export const membershipToWire = (view: FirmMembershipView) => ({
  firm_id: view.firmId,
  firm_name: view.firmName,
  can_accept_claims: view.canAcceptClaims,
  accepting_assignments: view.acceptingAssignments,
});

export const sharingToWire = ({ clocks, credentials, workArea }: Sharing) => ({
  clocks,
  credentials,
  work_area: workArea,
});

export const availabilityToWire = ({ acceptingAssignments, away, maxOpenOffers, workZip }: Availability) => ({
  accepting_assignments: acceptingAssignments,
  away: away.map(({ firstDay, lastDay, timeZone }) => ({
    first_day: firstDay,
    last_day: lastDay,
    time_zone: timeZone,
  })),
  max_open_offers: maxOpenOffers,
  work_zip: workZip,
});

export const awayFromWire = (away: UpdateAvailabilityBody['away']): Availability['away'] | undefined =>
  away?.map(({ first_day, last_day, time_zone }) => ({
    firstDay: first_day,
    lastDay: last_day,
    timeZone: time_zone,
  }));

/** The rules with what differs for single events. */
export const deadlinesToWire = (overrides: readonly DeadlineOverride[]) =>
  DEADLINE_RULES.map(({ kind, from, hours, source }) => ({
    kind,
    from,
    hours,
    source,
    events: overrides
      .filter((override) => override.kind === kind)
      .map((override) => ({ cat_code: override.event, hours: override.hours, source: override.source })),
  }));

export const profileToWire = ({ adjuster, firms }: Profile) => ({
  svc_id: adjuster.svcId,
  test: adjuster.testOf !== null,
  first_name: adjuster.firstName,
  last_name: adjuster.lastName,
  email: adjuster.email,
  firms: firms.map(membershipToWire),
  availability: availabilityToWire(adjuster.availability ?? ALWAYS_AVAILABLE),
});

export const sessionToWire = (session: Session) => ({
  id: session.id,
  device_name: session.deviceName,
  created_at: toDateTime(session.createdAt),
  last_used_at: toDateTime(session.lastUsedAt),
  expires_at: toDateTime(session.expiresAt),
});

export const passkeyToWire = (passkey: Passkey) => ({
  id: passkey.id,
  name: passkey.name,
  created_at: toDateTime(passkey.createdAt),
  last_used_at: toDateTimeOrNull(passkey.lastUsedAt),
});

/** An invitation as the adjuster sees it; of the firm's four notes, only `invited_as`. */
export const invitationToWire = (invitation: InvitationView, adjuster: Adjuster) => ({
  firm_id: invitation.firmId,
  firm_name: invitation.firmName,
  invited_as: invitation.invitedAs,
  invited_at: toDateTime(invitation.invitedAt),
  expires_at: toDateTime(invitation.expiresAt),
  missing_profile_fields: missingProfileFields(adjuster),
});

/** An invitation that was just declined. */
export const declinedToWire = (membership: Membership, firmName: string | null) => ({
  firm_id: membership.firmId,
  firm_name: firmName,
  status: membership.status,
  responded_at: toDateTimeOrNull(membership.respondedAt),
});
