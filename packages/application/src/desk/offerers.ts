import type { FirmId, OFFERER_TYPES, StaffId } from '@svc/domain';
import type { OperatorReads } from '../ports/operator-reads.ts';
import type { StaffReads } from '../ports/staff-reads.ts';

/** Who made an offer: a person of the firm, or a program with one of its keys. */
export interface Offerer {
  readonly type: (typeof OFFERER_TYPES)[number];
  readonly id: string;
  /** Null: the person was removed, or the key has none. */
  readonly name: string | null;
}

export interface OffererReads {
  readonly staffReads: Pick<StaffReads, 'find'>;
  readonly operatorReads: Pick<OperatorReads, 'keyPage'>;
}

/** The latest ones; of older keys the id is shown. */
const MAX_NAMED_KEYS = 1000;

/** By what `offeredBy` of an offer has. */
export async function offerersOf(
  { staffReads, operatorReads }: OffererReads,
  firmId: FirmId,
  offeredBy: readonly (string | null)[],
): Promise<ReadonlyMap<string, Offerer>> {
  const hasKeys = offeredBy.some((by) => by?.startsWith('key:'));
  const keys = hasKeys
    ? (await operatorReads.keyPage(firmId, { after: null, limit: MAX_NAMED_KEYS })).rows
    : [];
  const found = await Promise.all(
    [...new Set(offeredBy)].map(async (by): Promise<readonly [string, Offerer][]> => {
      const [type, id] = by?.split(':') ?? [];
      if (by === null || id === undefined) return [];
      if (type === 'key') {
        const name = keys.find((key) => key.id === id)?.name ?? null;
        return [[by, { type, id, name }]];
      }
      if (type !== 'staff') return [];
      const member = await staffReads.find({ firmId, staffId: id as StaffId });
      return [[by, { type, id, name: member?.name ?? null }]];
    }),
  );
  return new Map(found.flat());
}

export const offererName = (offerer: Offerer | null): string => {
  if (offerer === null) return 'your firm';
  const { type, id, name } = offerer;
  return type === 'key' ? `key ${name ?? id}` : (name ?? 'a person who was removed');
};
