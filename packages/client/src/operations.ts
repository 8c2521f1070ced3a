import type { firmEndpoints } from '@svc/contract';

type FirmEndpoints = typeof firmEndpoints;

export type OperationId = keyof FirmEndpoints;

/** The part of an endpoint that the client needs. */
type Operation<Of> = Of extends { readonly method: infer Method; readonly path: infer Path }
  ? {
      readonly method: Method;
      readonly path: Path;
      readonly auth: Of extends { readonly auth: infer Auth } ? Auth : never;
      readonly idempotencyKey: Of extends { readonly headers: unknown } ? true : false;
    }
  : never;

/** A copy, so that the contract is not needed at run time; the compiler checks it against the contract. */
export const OPERATIONS = {
  listClaims: { method: 'GET', path: '/v1/claims', auth: 'key', idempotencyKey: false },
  sendClaim: { method: 'POST', path: '/v1/claims', auth: 'key', idempotencyKey: true },
  getClaim: { method: 'GET', path: '/v1/claims/{id}', auth: 'key', idempotencyKey: false },
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
} as const satisfies { readonly [Id in OperationId]: Operation<FirmEndpoints[Id]> };

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
