import type { OfferedClaim } from '@svc/application';
import type { ClaimAccess, Instant } from '@svc/domain';
import type { Encryption } from '../encryption/encryption.ts';
import { decryptBookCarriers, type FormRow, formsFrom } from './carrier-rows.ts';
import { type ClaimRow, claimsFrom } from './claim-rows.ts';

export interface AccessRow {
  readonly member_status: ClaimAccess['status'];
  readonly can_accept_claims: boolean;
  readonly readable_until: Instant | null;
}
export const ACCESS_COLUMNS = 'm.status AS member_status, m.can_accept_claims, m.readable_until';

export type OfferedRow = ClaimRow & AccessRow & FormRow;

export async function offeredFrom(rows: OfferedRow[], encryption: Encryption): Promise<OfferedClaim[]> {
  await decryptBookCarriers(encryption, rows, ({ firm_id }) => firm_id);
  const claims = await claimsFrom(encryption, rows);
  return claims.flatMap((claim, n) => {
    const row = rows[n];
    if (row === undefined) return [];
    const { member_status: status, can_accept_claims: canAcceptClaims, readable_until: readableUntil } = row;
    return [{ claim, membership: { status, canAcceptClaims, readableUntil }, forms: formsFrom(row) }];
  });
}
