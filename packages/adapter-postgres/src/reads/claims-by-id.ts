import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { arrayOf } from '../driver/column-types.ts';
import { type Executor, first, rowByKey, sql } from '../driver/executor.ts';
import { FIRM_CLAIM_COLUMNS, type FirmClaimRow } from '../stores/claim-rows.ts';

/** Firm and id are UUIDs. */
export interface WantedClaim {
  readonly firmId: FirmId;
  readonly id: string;
}

const CLAIM = sql(
  'firm_claim',
  rowByKey('claims c', { 'c.firm_id': '$1', 'c.id': '$2' }, { columns: FIRM_CLAIM_COLUMNS }),
);

const CLAIMS = sql(
  'firm_claims',
  `SELECT ${FIRM_CLAIM_COLUMNS}, wanted.ordinal::integer
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (firm_id, id, ordinal)
     CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: 'wanted.firm_id', id: 'wanted.id' })}) c`,
);

/** The first responses of a larger tick are sent while PostgreSQL reads the others, on another connection. */
const MAX_TOGETHER = 16;

/** Of a caller that waits for its claim. */
interface PendingRead {
  readonly wanted: WantedClaim;
  resolve(row: FirmClaimRow | null | Promise<FirmClaimRow | null>): void;
}

/** Reads claims by id, those of one tick with one statement or a few. */
export function claimsById(
  executor: Executor,
  { maxTogether = MAX_TOGETHER } = {},
): (claim: WantedClaim) => Promise<FirmClaimRow | null> {
  const readOne = async ({ firmId, id }: WantedClaim): Promise<FirmClaimRow | null> =>
    first(await executor.rows<FirmClaimRow>(CLAIM, [firmId, id]));

  async function readAll(reads: readonly PendingRead[]): Promise<void> {
    const wanted = reads.map((read) => read.wanted);
    const values = [arrayOf(wanted.map(({ firmId }) => firmId)), arrayOf(wanted.map(({ id }) => id))];
    try {
      const rows = await executor.rows<FirmClaimRow & { readonly ordinal: number }>(CLAIMS, values);
      const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
      for (const [i, { resolve }] of reads.entries()) resolve(byOrdinal.get(i + 1) ?? null);
    } catch (error) {
      // Another of the claims may have caused the error.
      const again = error instanceof Unavailable ? () => Promise.reject(error) : readOne;
      for (const { wanted, resolve } of reads) resolve(again(wanted));
    }
  }

  let pending: PendingRead[] = [];

  function send(reads: readonly PendingRead[]): void {
    if (pending === reads) pending = [];
    const [only] = reads;
    if (only !== undefined && reads.length === 1) only.resolve(readOne(only.wanted));
    else void readAll(reads);
  }

  return (wanted) =>
    new Promise((resolve) => {
      if (pending.length === 0 || pending.length >= maxTogether) {
        const together: PendingRead[] = [];
        pending = together;
        process.nextTick(() => send(together));
      }
      pending.push({ wanted, resolve });
    });
}
