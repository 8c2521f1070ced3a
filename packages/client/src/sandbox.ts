import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, OperationRequest, Transport } from './transport.ts';
import type {
  Adjuster,
  Claim,
  DepartedAdjuster,
  Readiness,
  SimulatedFaults,
  SimulateFaultsRequest,
} from './wire.ts';

/**
 * Simulates adjusters, time and failures; for test keys only. A live key gets `environment_mismatch`. The adjusters are
 * the firm's test accounts.
 */
export interface Sandbox {
  /** Accepts a pending offer. @param id the service's id of the claim. */
  acceptClaim(id: string, options?: CallOptions): ApiPromise<Claim>;
  /** Rejects a pending offer. @param id the service's id of the claim. */
  rejectClaim(
    id: string,
    options?: CallOptions & { readonly reason?: string | undefined },
  ): ApiPromise<Claim>;
  /** Closes a claim. @param id the service's id of the claim. */
  closeClaim(id: string, options?: CallOptions): ApiPromise<Claim>;
  acceptInvitation(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  declineInvitation(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  /** Lets the seven days of a pending invitation pass. */
  expireInvitation(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  /** The adjuster leaves the firm: pending offers become unassigned. */
  leaveFirm(svcId: string, options?: CallOptions): ApiPromise<DepartedAdjuster>;
  /** The adjuster pauses assignments. */
  pauseAdjuster(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  resumeAdjuster(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  /** The firm withdraws the permission to accept claims. */
  suspendAdjuster(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  reinstateAdjuster(svcId: string, options?: CallOptions): ApiPromise<Adjuster>;
  /** The next `count` requests with this key, outside the sandbox, fail this way. */
  simulateFaults(faults: SimulateFaultsRequest, options?: CallOptions): ApiPromise<SimulatedFaults>;
  clearFaults(options?: CallOptions): ApiPromise<SimulatedFaults>;
  /** Checks what your program did with this key: retries, back-off, polling. @param filters by default, the last 24 hours. */
  checkReadiness(options?: CallOptions & { readonly since?: string | undefined }): ApiPromise<Readiness>;
}

export function createSandbox(send: Transport): Sandbox {
  type Operation = OperationRequest['operation'];
  const ofClaim = (operation: Operation) => (id: string, options?: CallOptions) =>
    send<Claim>({ operation, params: { id } }, options);
  const ofAdjuster =
    <Result = Adjuster>(operation: Operation) =>
    (svcId: string, options?: CallOptions) =>
      send<Result>({ operation, params: { svc_id: svcId } }, options);
  return {
    acceptClaim: ofClaim('acceptTestClaim'),
    rejectClaim: (id, { reason, ...options } = {}) =>
      send<Claim>({ operation: 'rejectTestClaim', params: { id }, body: { reason } }, options),
    closeClaim: ofClaim('closeTestClaim'),
    acceptInvitation: ofAdjuster('acceptTestInvitation'),
    declineInvitation: ofAdjuster('declineTestInvitation'),
    expireInvitation: ofAdjuster('expireTestInvitation'),
    leaveFirm: ofAdjuster<DepartedAdjuster>('departTestAdjuster'),
    pauseAdjuster: ofAdjuster('pauseTestAdjuster'),
    resumeAdjuster: ofAdjuster('resumeTestAdjuster'),
    suspendAdjuster: ofAdjuster('suspendTestAdjuster'),
    reinstateAdjuster: ofAdjuster('reinstateTestAdjuster'),
    simulateFaults: (faults, options) =>
      send<SimulatedFaults>({ operation: 'simulateFaults', body: faults }, options),
    checkReadiness: ({ since, ...options } = {}) =>
      send<Readiness>({ operation: 'checkReadiness', query: { since } }, options),
    clearFaults: (options) => send<SimulatedFaults>({ operation: 'clearFaults' }, options),
  };
}
