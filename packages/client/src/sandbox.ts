import type { CallOptions, OperationRequest, Transport } from './transport.ts';
import type { Adjuster, Claim, DepartedAdjuster, SimulatedFaults, SimulateFaultsRequest } from './wire.ts';

/**
 * Simulates adjusters, time and failures; for test keys only. A live key gets `environment_mismatch`. The adjusters are
 * the firm's test accounts.
 */
export interface Sandbox {
  /** Accepts a pending offer. @param id the service's id of the claim. */
  acceptClaim(id: string, options?: CallOptions): Promise<Claim>;
  /** Rejects a pending offer. @param id the service's id of the claim. */
  rejectClaim(id: string, options?: CallOptions & { readonly reason?: string | undefined }): Promise<Claim>;
  /** Closes a claim. @param id the service's id of the claim. */
  closeClaim(id: string, options?: CallOptions): Promise<Claim>;
  acceptInvitation(svcId: string, options?: CallOptions): Promise<Adjuster>;
  declineInvitation(svcId: string, options?: CallOptions): Promise<Adjuster>;
  /** Lets the seven days of a pending invitation pass. */
  expireInvitation(svcId: string, options?: CallOptions): Promise<Adjuster>;
  /** The adjuster leaves the firm: pending offers become unassigned. */
  leaveFirm(svcId: string, options?: CallOptions): Promise<DepartedAdjuster>;
  /** The adjuster pauses assignments. */
  pauseAdjuster(svcId: string, options?: CallOptions): Promise<Adjuster>;
  resumeAdjuster(svcId: string, options?: CallOptions): Promise<Adjuster>;
  /** The firm withdraws the permission to accept claims. */
  suspendAdjuster(svcId: string, options?: CallOptions): Promise<Adjuster>;
  reinstateAdjuster(svcId: string, options?: CallOptions): Promise<Adjuster>;
  /** The next `count` requests with this key, outside the sandbox, fail this way. */
  simulateFaults(faults: SimulateFaultsRequest, options?: CallOptions): Promise<SimulatedFaults>;
  clearFaults(options?: CallOptions): Promise<SimulatedFaults>;
}

export function createSandbox(send: Transport): Sandbox {
  type Operation = OperationRequest['operation'];
  const ofClaim = (operation: Operation) => async (id: string, options?: CallOptions) =>
    (await send({ operation, params: { id } }, options)) as Claim;
  const ofAdjuster = (operation: Operation) => async (svcId: string, options?: CallOptions) =>
    (await send({ operation, params: { svc_id: svcId } }, options)) as Adjuster;
  return {
    acceptClaim: ofClaim('acceptTestClaim'),
    rejectClaim: async (id, { reason, ...options } = {}) =>
      (await send({ operation: 'rejectTestClaim', params: { id }, body: { reason } }, options)) as Claim,
    closeClaim: ofClaim('closeTestClaim'),
    acceptInvitation: ofAdjuster('acceptTestInvitation'),
    declineInvitation: ofAdjuster('declineTestInvitation'),
    expireInvitation: ofAdjuster('expireTestInvitation'),
    leaveFirm: async (svcId, options) =>
      (await send(
        { operation: 'departTestAdjuster', params: { svc_id: svcId } },
        options,
      )) as DepartedAdjuster,
    pauseAdjuster: ofAdjuster('pauseTestAdjuster'),
    resumeAdjuster: ofAdjuster('resumeTestAdjuster'),
    suspendAdjuster: ofAdjuster('suspendTestAdjuster'),
    reinstateAdjuster: ofAdjuster('reinstateTestAdjuster'),
    simulateFaults: async (faults, options) =>
      (await send({ operation: 'simulateFaults', body: faults }, options)) as SimulatedFaults,
    clearFaults: async (options) => (await send({ operation: 'clearFaults' }, options)) as SimulatedFaults,
  };
}
