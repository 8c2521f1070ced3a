import type { FirmId, StaffMember, StaffRef } from '@svc/domain';
import type { Firm } from '../model/firm.ts';

export type StaffFirm = Pick<Firm, 'id' | 'name' | 'plan'>;

/** Reads of the people of a firm. */
export interface StaffReads {
  /** By the time of their invitation. */
  ofFirm(firmId: FirmId): Promise<StaffMember[]>;
  find(of: StaffRef): Promise<StaffMember | null>;
  /** The firms whose staff have this address, compared with `emailKey`. */
  firmsOf(email: string): Promise<StaffFirm[]>;
}
