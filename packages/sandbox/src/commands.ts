import type { Client } from '@svc/client';

/** A command of `claims sandbox`. Its argument is a claim's id or the SVCID of a test account. */
export interface SandboxCommand {
  readonly name: string;
  readonly description: string;
  readonly argument: 'id' | 'svcid';
  readonly run: (
    sandbox: Client['sandbox'],
    argument: string,
    options: { readonly signal: AbortSignal; readonly reason?: string | undefined },
  ) => Promise<object>;
}

type Method = Exclude<
  keyof Client['sandbox'],
  'rejectClaim' | 'simulateFaults' | 'clearFaults' | 'checkReadiness'
>;

const command = (
  name: string,
  argument: SandboxCommand['argument'],
  method: Method,
  description: string,
): SandboxCommand => ({
  ...{ name, description, argument },
  run: (sandbox, about, { signal }) => sandbox[method](about, { signal }),
});

export const SANDBOX_COMMANDS: readonly SandboxCommand[] = [
  command('accept', 'id', 'acceptClaim', 'accept the offer of a claim'),
  {
    name: 'reject',
    description: 'reject the offer of a claim; --reason',
    argument: 'id',
    run: (sandbox, id, options) => sandbox.rejectClaim(id, options),
  },
  command('close', 'id', 'closeClaim', 'close a claim'),
  command('accept-invitation', 'svcid', 'acceptInvitation', 'accept a pending invitation'),
  command('decline-invitation', 'svcid', 'declineInvitation', 'decline a pending invitation'),
  command('expire-invitation', 'svcid', 'expireInvitation', 'let a pending invitation expire'),
  command('leave', 'svcid', 'leaveFirm', 'let an adjuster leave the firm'),
  command('pause', 'svcid', 'pauseAdjuster', 'let an adjuster pause assignments'),
  command('resume', 'svcid', 'resumeAdjuster', 'let an adjuster resume assignments'),
  command('suspend', 'svcid', 'suspendAdjuster', 'withdraw the permission to accept claims'),
  command('reinstate', 'svcid', 'reinstateAdjuster', 'restore the permission to accept claims'),
];
