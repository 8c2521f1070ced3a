import type { SignInCode } from '../model/sign-in.ts';

export interface SignInCodes {
  /** Replaces an earlier code of the same slot. */
  put(code: SignInCode): Promise<void>;
  lock(slot: string): Promise<SignInCode | null>;
  remove(slot: string): Promise<void>;
}
