import type { SignInTicket } from '../model/sign-in.ts';

export interface SignInTickets {
  add(ticket: SignInTicket): Promise<void>;
  /** Removes it, so that it works once. Null: there is none. */
  take(slot: string): Promise<SignInTicket | null>;
}
