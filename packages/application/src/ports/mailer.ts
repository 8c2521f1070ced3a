import type { AccountEvent } from '../model/sign-in.ts';

export interface Mailer {
  /** Mails a sign-in code, or logs it when no mail server is configured. The mailer reports its own errors. */
  sendSignInCode(email: string, code: string): Promise<void>;
  /** Mails the code that confirms a new address to that address. */
  sendEmailCode(email: string, code: string): Promise<void>;
  /** Tells a person that they may sign in to the desk of a firm. */
  sendStaffInvitation(email: string, firmName: string): Promise<void>;
  /** Tells a staff member how many offers of the firm are late. */
  sendLateOffers(email: string, firmName: string, count: number): Promise<void>;
  /** Tells the owner of an account what was changed in how to sign in; of an email address, at the old one. */
  sendAccountNotice(email: string, event: AccountEvent): Promise<void>;
}
