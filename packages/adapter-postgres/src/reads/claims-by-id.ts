import { Unavailable } from '@svc/application';
import type { Environment, FirmId } from '@svc/domain';
import { arrayOf } from '../driver/column-types.ts';
import { first, type Reads, sql } from '../driver/session.ts';
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

interface Request {
  readonly wanted: WantedClaim;
  resolve(row: FirmClaimRow | null | Promise<FirmClaimRow | null>): void;
}

/** Reads claims by id, those of one turn of the event loop with one statement or a few. */
export function claimsById(session: Reads): (claim: WantedClaim) => Promise<FirmClaimRow | null> {
  const readOne = async ({ firmId, environment, id }: WantedClaim): Promise<FirmClaimRow | null> =>
    first(await session.rows<FirmClaimRow>(CLAIM, [firmId, id, environment]));

  // The claims of several firms are on several nodes.
  if (session.onCitus) return readOne;

  /** Each request is resolved as soon as its row arrives. */
  async function readAll(requests: readonly Request[]): Promise<void> {
    const waiting = new Map(requests.map((request, i) => [i + 1, request]));
    const wanted = requests.map((request) => request.wanted);
    const values = [
      arrayOf(wanted.map(({ firmId }) => firmId)),
      arrayOf(wanted.map(({ id }) => id)),
      arrayOf(wanted.map(({ environment }) => environment)),
    ];
    try {
      await session.eachRow<FirmClaimRow & { readonly place: number }>(CLAIMS, values, (row) => {
        waiting.get(row.place)?.resolve(row);
        waiting.delete(row.place);
      });
      for (const { resolve } of waiting.values()) resolve(null);
    } catch (error) {
      // Another claim of the batch may have caused the error.
      const again = error instanceof Unavailable ? () => Promise.reject(error) : readOne;
      for (const { wanted, resolve } of waiting.values()) resolve(again(wanted));
    }
  }

  const maxTogether = (session.sharedConnections ?? 1) > 1 ? MAX_TOGETHER : Number.POSITIVE_INFINITY;
  let batch: Request[] = [];

  function send(requests: readonly Request[]): void {
    if (batch === requests) batch = [];
    const [only] = requests;
    if (only !== undefined && requests.length === 1) only.resolve(readOne(only.wanted));
    else void readAll(requests);
  }

  return (wanted) =>
    new Promise((resolve) => {
      if (batch.length === 0 || batch.length >= maxTogether) {
        const requests: Request[] = [];
        batch = requests;
        process.nextTick(() => send(requests));
      }
      batch.push({ wanted, resolve });
    });
}
