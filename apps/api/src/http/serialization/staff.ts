import { type ApiKey, type OwnStaffProfile, toDateTime, toDateTimeOrNull } from '@svc/application';
import type { OwnStaff, StaffMember as StaffMemberDocument } from '@svc/contract';
import { keyPurposesOf, permissionsOf, type StaffMember } from '@svc/domain';

const personToWire = ({ staffId, email, name, role }: StaffMember) => ({ id: staffId, email, name, role });

/** @param workingKeys of the firm. */
export const staffToWire = (
  member: StaffMember,
  workingKeys: readonly Pick<ApiKey, 'madeBy'>[],
): StaffMemberDocument => ({
  ...personToWire(member),
  invited_at: toDateTime(member.invitedAt),
  joined_at: toDateTimeOrNull(member.joinedAt),
  working_keys: workingKeys.filter(({ madeBy }) => madeBy === member.staffId).length,
});

export const ownStaffToWire = ({ member, firm, firms }: OwnStaffProfile): OwnStaff => ({
  staff: personToWire(member),
  firm: { id: firm.id, name: firm.name, plan: firm.plan },
  permissions: permissionsOf(member.role, firm.plan),
  key_purposes: {
    live: keyPurposesOf(member.role, 'live'),
    test: keyPurposesOf(member.role, 'test'),
  },
  late_offers_mail: member.lateOffersMailAt === null ? 'off' : 'daily',
  firms: firms.map(({ id, name }) => ({ id, name })),
});
