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

export const SANDBOX_COMMANDS: readonly SandboxCommand[] = [
  {
    name: 'accept',
    description: 'accept the offer of a claim',
    argument: 'id',
    run: (sandbox, id, { signal }) => sandbox.acceptClaim(id, { signal }),
  },
  {
    name: 'reject',
    description: 'reject the offer of a claim; --reason',
    argument: 'id',
    run: (sandbox, id, options) => sandbox.rejectClaim(id, options),
  },
  {
    name: 'close',
    description: 'close a claim',
    argument: 'id',
    run: (sandbox, id, { signal }) => sandbox.closeClaim(id, { signal }),
  },
  {
    name: 'accept-invitation',
    description: 'accept a pending invitation',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.acceptInvitation(svcId, { signal }),
  },
  {
    name: 'decline-invitation',
    description: 'decline a pending invitation',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.declineInvitation(svcId, { signal }),
  },
  {
    name: 'expire-invitation',
    description: 'let a pending invitation expire',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.expireInvitation(svcId, { signal }),
  },
  {
    name: 'leave',
    description: 'let an adjuster leave the firm',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.leaveFirm(svcId, { signal }),
  },
  {
    name: 'pause',
    description: 'let an adjuster pause assignments',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.pauseAdjuster(svcId, { signal }),
  },
  {
    name: 'resume',
    description: 'let an adjuster resume assignments',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.resumeAdjuster(svcId, { signal }),
  },
  {
    name: 'suspend',
    description: 'withdraw the permission to accept claims',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.suspendAdjuster(svcId, { signal }),
  },
  {
    name: 'reinstate',
    description: 'restore the permission to accept claims',
    argument: 'svcid',
    run: (sandbox, svcId, { signal }) => sandbox.reinstateAdjuster(svcId, { signal }),
  },
];
