import type { StaffMember, StaffRef } from '@svc/domain';
import type { StaffReads } from './staff-reads.ts';

/** The people of firms. */
export interface Staff extends Omit<StaffReads, 'firmsOf'> {
  /** Locks the member until the transaction ends. */
  lock(of: StaffRef): Promise<StaffMember | null>;
  /** In every firm, by address compared with `emailKey`. By when they joined, then by invitation. */
  findByEmail(email: string): Promise<StaffMember[]>;
  /** False when the firm has a member with this email address. */
  add(member: StaffMember): Promise<boolean>;
  /** Saves name, role, when the member joined, and when the next mail is due. */
  save(member: StaffMember): Promise<void>;
  remove(of: StaffRef): Promise<void>;
}
