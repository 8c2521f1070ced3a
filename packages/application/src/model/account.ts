import {
  type Adjuster,
  DomainError,
  type FirmId,
  type Plan,
  type StaffMember,
  type StaffRef,
  type StaffRole,
  type Svcid,
} from '@svc/domain';

/** Who has an account: an adjuster, or a staff member of a firm. */
export type AccountRef = { readonly svcId: Svcid } | StaffRef;

export type Account = Adjuster | StaffMember;

/** The reference alone, of an account or of who acts. */
export const accountRef = (of: AccountRef): AccountRef =>
  'svcId' in of ? { svcId: of.svcId } : { firmId: of.firmId, staffId: of.staffId };

/** Unique for each account. */
export const accountKey = (of: AccountRef): string =>
  'svcId' in of ? of.svcId : `staff ${of.firmId} ${of.staffId}`;

/** What a signed-in staff member may do at the moment. */
export interface StaffGrant {
  readonly firmId: FirmId;
  readonly staffId: StaffMember['staffId'];
  readonly role: StaffRole;
  readonly firmName: string;
  readonly plan: Plan;
}

/** An address belongs to one account. */
export const emailTaken = (): DomainError =>
  new DomainError('email_taken', 'Another account uses this e-mail address.');
