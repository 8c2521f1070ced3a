import type { StaffRef } from '@svc/domain';
import type { AccountRef } from '../model/account.ts';
import type { Session, SessionMethod } from '../model/session.ts';

export interface Sessions {
  add(session: Session): Promise<void>;
  /** Latest use first. */
  of(account: AccountRef): Promise<Session[]>;
  setMethod(tokenHash: string, method: SessionMethod): Promise<void>;
  /** Gives the session of a staff member to another of their accounts. False: it has ended. */
  move(tokenHash: string, to: StaffRef): Promise<boolean>;
  /** Ends the session and removes the devices that were registered in it. */
  remove(session: Pick<Session, 'account' | 'tokenHash'>): Promise<void>;
  /** Ends all sessions of the account and removes all its devices. @returns how many sessions there were. */
  removeAllOf(account: AccountRef): Promise<number>;
}
