import type { FirmId, StaffId } from '@svc/domain';
import type { StaffReads } from '../ports/staff-reads.ts';

/** Who made an offer: a person of the firm, or a program with one of its keys. */
export interface Offerer {
  readonly type: 'staff' | 'key';
  readonly id: string;
  /** Null: the person was removed; keys have none. */
  readonly name: string | null;
}

/** By what `offeredBy` of an offer has. */
export async function offerersOf(
  { staffReads }: { readonly staffReads: Pick<StaffReads, 'find'> },
  firmId: FirmId,
  offeredBy: readonly (string | null)[],
): Promise<ReadonlyMap<string, Offerer>> {
  const found = await Promise.all(
    [...new Set(offeredBy)].map(async (by): Promise<readonly [string, Offerer][]> => {
      const [type, id] = by?.split(':') ?? [];
      if (by === null || id === undefined) return [];
      if (type === 'key') return [[by, { type, id, name: null }]];
      if (type !== 'staff') return [];
      const member = await staffReads.find({ firmId, staffId: id as StaffId });
      return [[by, { type, id, name: member?.name ?? null }]];
    }),
  );
  return new Map(found.flat());
}

export const offererName = (offerer: Offerer | null): string => {
  if (offerer === null) return 'your firm';
  return offerer.name ?? (offerer.type === 'key' ? `key ${offerer.id}` : 'a person who was removed');
};
