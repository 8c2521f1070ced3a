import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { arrayOf } from '../driver/column-types.ts';
import { first, rowByKey, type Session, sql } from '../driver/session.ts';
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
  `SELECT ${FIRM_CLAIM_COLUMNS}, wanted.place::integer
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (firm_id, id, place)
     CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: 'wanted.firm_id', id: 'wanted.id' })}) c`,
);

/** The first responses of a larger tick are sent while PostgreSQL reads the others, on another connection. */
const MAX_TOGETHER = 16;

interface Request {
  readonly wanted: WantedClaim;
  resolve(row: FirmClaimRow | null | Promise<FirmClaimRow | null>): void;
}

/** Reads claims by id, those of one turn of the event loop with one statement or a few. */
export function claimsById(session: Session): (claim: WantedClaim) => Promise<FirmClaimRow | null> {
  const readOne = async ({ firmId, id }: WantedClaim): Promise<FirmClaimRow | null> =>
    first(await session.rows<FirmClaimRow>(CLAIM, [firmId, id]));

  if (!session.layout.joinsFirms) return readOne;

  async function readAll(requests: readonly Request[]): Promise<void> {
    const wanted = requests.map((request) => request.wanted);
    const values = [arrayOf(wanted.map(({ firmId }) => firmId)), arrayOf(wanted.map(({ id }) => id))];
    try {
      const rows = await session.rows<FirmClaimRow & { readonly place: number }>(CLAIMS, values);
      const byPlace = new Map(rows.map((row) => [row.place, row]));
      for (const [i, { resolve }] of requests.entries()) resolve(byPlace.get(i + 1) ?? null);
    } catch (error) {
      // Another claim of the batch may have caused the error.
      const again = error instanceof Unavailable ? () => Promise.reject(error) : readOne;
      for (const { wanted, resolve } of requests) resolve(again(wanted));
    }
  }

  let batch: Request[] = [];

  function send(requests: readonly Request[]): void {
    if (batch === requests) batch = [];
    const [only] = requests;
    if (only !== undefined && requests.length === 1) only.resolve(readOne(only.wanted));
    else void readAll(requests);
  }

  return (wanted) =>
    new Promise((resolve) => {
      if (batch.length === 0 || batch.length >= MAX_TOGETHER) {
        const requests: Request[] = [];
        batch = requests;
        process.nextTick(() => send(requests));
      }
      batch.push({ wanted, resolve });
    });
}
