/** A copy, so that the client has no dependencies. A test compares it with the contract. */
export const OPERATIONS = {
  listClaims: { method: 'GET', path: '/v1/claims', auth: 'key', idempotencyKey: false },
  sendClaim: { method: 'POST', path: '/v1/claims', auth: 'key', idempotencyKey: true },
  getClaim: { method: 'GET', path: '/v1/claims/{id}', auth: 'key', idempotencyKey: false },
  getReceipt: { method: 'GET', path: '/v1/claims/{id}/receipt', auth: 'key', idempotencyKey: false },
  offerClaim: { method: 'POST', path: '/v1/claims/{id}/assignment', auth: 'key', idempotencyKey: true },
  inviteAdjuster: { method: 'POST', path: '/v1/adjusters/invitations', auth: 'key', idempotencyKey: false },
  listAdjusters: { method: 'GET', path: '/v1/adjusters', auth: 'key', idempotencyKey: false },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/v1/adjusters/invitations/{svc_id}',
    auth: 'key',
    idempotencyKey: false,
  },
  getKeyInfo: { method: 'GET', path: '/v1/me', auth: 'key', idempotencyKey: false },
  getHealth: { method: 'GET', path: '/v1/health', auth: 'none', idempotencyKey: false },
  acceptTestClaim: {
    method: 'POST',
    path: '/v1/test/claims/{id}/acceptance',
    auth: 'key',
    idempotencyKey: false,
  },
  rejectTestClaim: {
    method: 'POST',
    path: '/v1/test/claims/{id}/rejection',
    auth: 'key',
    idempotencyKey: false,
  },
  closeTestClaim: {
    method: 'POST',
    path: '/v1/test/claims/{id}/closure',
    auth: 'key',
    idempotencyKey: false,
  },
  acceptTestInvitation: {
    method: 'POST',
    path: '/v1/test/invitations/{svc_id}/acceptance',
    auth: 'key',
    idempotencyKey: false,
  },
  declineTestInvitation: {
    method: 'POST',
    path: '/v1/test/invitations/{svc_id}/decline',
    auth: 'key',
    idempotencyKey: false,
  },
  expireTestInvitation: {
    method: 'POST',
    path: '/v1/test/invitations/{svc_id}/expiry',
    auth: 'key',
    idempotencyKey: false,
  },
  departTestAdjuster: {
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/departure',
    auth: 'key',
    idempotencyKey: false,
  },
  pauseTestAdjuster: {
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/pause',
    auth: 'key',
    idempotencyKey: false,
  },
  resumeTestAdjuster: {
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/resume',
    auth: 'key',
    idempotencyKey: false,
  },
  suspendTestAdjuster: {
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/suspension',
    auth: 'key',
    idempotencyKey: false,
  },
  reinstateTestAdjuster: {
    method: 'POST',
    path: '/v1/test/adjusters/{svc_id}/reinstatement',
    auth: 'key',
    idempotencyKey: false,
  },
  simulateFaults: { method: 'PUT', path: '/v1/test/faults', auth: 'key', idempotencyKey: false },
  checkReadiness: { method: 'GET', path: '/v1/test/readiness', auth: 'key', idempotencyKey: false },
  clearFaults: { method: 'DELETE', path: '/v1/test/faults', auth: 'key', idempotencyKey: false },
} as const;

export type OperationId = keyof typeof OPERATIONS;

/** The path with its parameters filled in. */
export function pathOf(id: OperationId, params: Readonly<Record<string, string>>): string {
  return OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, params[name]));
}

/** Rejects an empty or dot segment: URL normalization, even of encoded dots, would make it another operation's path. */
function pathSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`${name} must not be ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}
