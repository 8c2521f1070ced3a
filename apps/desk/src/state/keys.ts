import type { ApiKey } from '../endpoints.ts';
import type { Texts } from '../texts/en.ts';

interface Maker {
  readonly staff_id: string;
  readonly name: string;
  readonly reason: keyof Texts['keys']['attention'];
  readonly count: number;
}

/** Whose keys an administrator should look at, of the rows that are shown. */
export function makersOf(keys: readonly ApiKey[]): Maker[] {
  const makers = new Map<string, Maker>();
  for (const { attention, created_by } of keys) {
    if (attention === null || created_by.staff_id === null) continue;
    const { staff_id } = created_by;
    const reason = attention === 'maker_removed' ? 'maker_removed' : 'maker_role_changed';
    const count = (makers.get(staff_id)?.count ?? 0) + 1;
    makers.set(staff_id, { staff_id, name: created_by.name ?? staff_id, reason, count });
  }
  return [...makers.values()];
}

export const isKeyOver = ({ revoked_at, expires_at }: ApiKey, now: number): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) < now);
