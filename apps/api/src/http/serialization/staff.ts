import { type OwnStaffProfile, toDateTime, toDateTimeOrNull } from '@svc/application';
import type { OwnStaff, StaffMember as StaffMemberDocument } from '@svc/contract';
import { permissionsOf, type StaffMember } from '@svc/domain';

const personToWire = ({ staffId, email, name, role }: StaffMember) => ({ id: staffId, email, name, role });

export const staffToWire = (member: StaffMember): StaffMemberDocument => ({
  ...personToWire(member),
  invited_at: toDateTime(member.invitedAt),
  joined_at: toDateTimeOrNull(member.joinedAt),
});

export const ownStaffToWire = ({ member, firm, firms }: OwnStaffProfile): OwnStaff => ({
  staff: personToWire(member),
  firm: { id: firm.id, name: firm.name, plan: firm.plan },
  permissions: permissionsOf(member.role, firm.plan),
  late_offers_mail: member.lateOffersMailAt === null ? 'off' : 'daily',
  firms: firms.map(({ id, name }) => ({ id, name })),
});
