import { Unavailable } from '@svc/application';
import type { Environment, FirmId } from '@svc/domain';
import { arrayOf } from '../driver/column-types.ts';
import { first, type Session, sql } from '../driver/session.ts';
import { FIRM_CLAIM_COLUMNS, type FirmClaimRow } from '../stores/claim-rows.ts';

/** A claim as a key of the firm sees it: `isClaimVisible` in `@svc/domain`. Firm and id are UUIDs. */
export interface WantedClaim {
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly id: string;
}

const CLAIM = sql(
  'firm_claim',
  `SELECT ${FIRM_CLAIM_COLUMNS} FROM claims c
    WHERE c.firm_id = $1 AND c.id = $2 AND (c.environment = 'test' OR $3 = 'live')`,
);

const CLAIMS = sql(
  'firm_claims',
  `SELECT ${FIRM_CLAIM_COLUMNS}, wanted.place::integer
     FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS wanted (firm_id, id, environment, place)
     JOIN claims c ON c.firm_id = wanted.firm_id AND c.id = wanted.id
      AND (c.environment = 'test' OR wanted.environment = 'live')`,
  { balanced: true },
);

/** Where two connections are shared: the first responses of a larger turn are sent while PostgreSQL reads the others. */
const MAX_TOGETHER = 16;

interface Batch {
  readonly wanted: WantedClaim[];
  /** In their order. */
  readonly rows: Promise<readonly (FirmClaimRow | null)[]>;
}

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** Reads claims by id, those of one turn of the event loop with one statement or a few. */
export function claimsById(session: Session): (claim: WantedClaim) => Promise<FirmClaimRow | null> {
  const readOne = async ({ firmId, environment, id }: WantedClaim): Promise<FirmClaimRow | null> =>
    first(await session.rows<FirmClaimRow>(CLAIM, [firmId, id, environment]));

  async function readAll(wanted: readonly WantedClaim[]): Promise<readonly (FirmClaimRow | null)[]> {
    const [only, ...others] = wanted;
    if (only !== undefined && others.length === 0) return [await readOne(only)];
    const found = await session.rows<FirmClaimRow & { readonly place: number }>(CLAIMS, [
      arrayOf(wanted.map(({ firmId }) => firmId)),
      arrayOf(wanted.map(({ id }) => id)),
      arrayOf(wanted.map(({ environment }) => environment)),
    ]);
    const rows: (FirmClaimRow | null)[] = wanted.map(() => null);
    for (const row of found) rows[row.place - 1] = row;
    return rows;
  }

  // The claims of several firms are on several nodes.
  if (session.onCitus) return readOne;

  const maxTogether = (session.sharedConnections ?? 1) > 1 ? MAX_TOGETHER : Number.POSITIVE_INFINITY;
  let batch: Batch | null = null;

  function batchOfThisTurn(): Batch {
    if (batch === null || batch.wanted.length >= maxTogether) {
      const wanted: WantedClaim[] = [];
      const rows = nextTick().then(() => {
        if (batch?.wanted === wanted) batch = null;
        return readAll(wanted);
      });
      batch = { wanted, rows };
    }
    return batch;
  }

  return async (claim) => {
    const { wanted, rows } = batchOfThisTurn();
    const at = wanted.push(claim) - 1;
    try {
      return (await rows)[at] ?? null;
    } catch (error) {
      // Another claim of the batch may have caused the error.
      if (wanted.length === 1 || error instanceof Unavailable) throw error;
      return readOne(claim);
    }
  };
}
