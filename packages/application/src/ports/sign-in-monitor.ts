import type { SignInFailure } from '../model/sign-in.ts';

/** Counts sign-ins that failed, for metrics and alerts. Holds nothing about accounts or clients. */
export interface SignInMonitor {
  count(failure: SignInFailure): void;
}
