import { type Clock, IDEMPOTENCY_WINDOW_MS } from '@svc/application';
import { type Claim, type ClaimId, carrierNameKey, type Instant } from '@svc/domain';
import type { ClaimStatements, Decided, Facts, FactsRequest } from '../claims/statements.ts';
import { timestamp } from '../driver/column-types.ts';
import { first, type Statement, sql, type TxSession, type Value } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { addMany } from '../jobs/job-table.ts';
import { auditRow, rowValues } from '../stores/audit-rows.ts';
import { pgAdjusters } from '../stores/pg-adjusters.ts';
import { encryptedDetails, hasDetails, mergeRow } from '../stores/pg-carriers.ts';
import { assignmentValues, SAVE_WITH_TIMESTAMP, workValues } from '../stores/pg-claims.ts';
import { BIND_ROW, findValues, replaceOutdated } from '../stores/pg-idempotency.ts';
import {
  findMembership,
  MEMBERSHIP_FIELDS,
  type MembershipRow,
  membershipFrom,
  membershipKey,
} from '../stores/pg-memberships.ts';
import { takeTimestamp } from './timestamps.ts';

const LOCK_MEMBERSHIP = sql('memberships_lock_shared', findMembership('FOR SHARE'));

/** On one table, without a union: otherwise Citus would plan it again on every execution. */
const FIND_DUPLICATE = sql(
  'claims_find_duplicate',
  `SELECT id, CASE WHEN external_id = $3 THEN 'external_id' ELSE 'claim_number' END AS by FROM claims
    WHERE firm_id = $1 AND environment = $2 AND (external_id = $3 OR claim_number = $4 AND closed_at IS NULL)
    ORDER BY external_id <> $3, created_at LIMIT 1`,
);

const FIND_KEY = sql(
  'idempotency_find',
  `SELECT fingerprint, claim_id AS "claimId" FROM idempotency_records
    WHERE firm_id = $1 AND environment = $2 AND key = $3 AND bound_at > $4`,
);

const BIND = sql('idempotency_bind', `${BIND_ROW} VALUES ($1, $2, $3, $4, $5, $6) ${replaceOutdated('$7')}`);

const HAS_DETAILS = sql('carriers_has_details', hasDetails('$1', '$2', '$3::text', '$4::text', '$5::json'));
const MERGE = sql('carriers_merge', mergeRow('VALUES ($1::uuid, $2, $3, $4::text, $5::text, $6::json)'));

const ADD = sql(
  'claims_add_with_timestamp',
  `INSERT INTO claims (firm_id, created_at, updated_at, id, environment, external_id, claim_number, carrier_key, carrier,
     document, status, adjuster_svc_id, offered_at, responded_at, rejection_reason)
   VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8::json, $9::json, $10, $11, $12, $13, $14) RETURNING updated_at`,
);

/** Statements on one shard each, for one request: the claims of a group may be on several nodes. */
export function oneShardClaimStatements(
  session: TxSession,
  clock: Clock,
  encryption: Encryption,
): ClaimStatements {
  const factsOf = async ({ slot, at, adjuster, externalId, claimNumber }: FactsRequest): Promise<Facts> => {
    // The key last: a duplicate that was found is then never that of an earlier request whose key was not.
    const [duplicate = null, account, bound] = await Promise.all([
      externalId === undefined || claimNumber === undefined
        ? null
        : session
            .rows<NonNullable<Facts['duplicate']>>(FIND_DUPLICATE, [
              slot.firmId,
              slot.environment,
              externalId,
              claimNumber,
            ])
            .then(first),
      pgAdjusters(session, encryption).find(adjuster),
      session.rows<NonNullable<Facts['bound']>>(FIND_KEY, findValues(slot, at)).then(first),
    ]);
    return { duplicate, adjuster: account, bound };
  };
  const merge = async ({ firmId, carrier }: Claim): Promise<void> => {
    const nameKey = carrierNameKey(carrier.name);
    const details = await encryptedDetails(encryption, firmId, nameKey, carrier);
    if ((await session.rows(HAS_DETAILS, [firmId, nameKey, ...details])).length === 0)
      session.send(MERGE, [firmId, nameKey, carrier.name, ...details]);
  };
  const write = async (
    [{ claim, jobs, event, request }]: readonly [Decided],
    statement: Statement,
    values: readonly Value[],
  ): Promise<ReadonlyMap<ClaimId, Instant>> => {
    if (request !== undefined) {
      const { slot, fingerprint, at } = request;
      const times = [timestamp(at), timestamp(at - IDEMPOTENCY_WINDOW_MS)];
      session.send(BIND, [slot.firmId, slot.environment, slot.key, fingerprint, claim.id, ...times]);
    }
    if (jobs.length > 0) addMany(session, jobs);
    if (statement === ADD) await merge(claim);
    const at = await takeTimestamp(session, claim.firmId, clock.now(), rowValues(auditRow(event)));
    const saved = await session.rowsAndCommit<{ readonly updated_at: Instant }>(statement, [
      claim.firmId,
      at,
      claim.id,
      ...values,
    ]);
    return new Map(saved.map(({ updated_at }) => [claim.id, updated_at]));
  };
  const encryptor = ({ firmId, id }: Claim) => encryption.encryptor(PERSONAL.claims, firmId, id);

  return {
    lockMemberships: (requests) =>
      Promise.all(
        requests.map(async ({ slot, adjuster }) => {
          const rows = await session.rows<MembershipRow>(LOCK_MEMBERSHIP, [slot.firmId, adjuster]);
          const row = first(await encryption.decrypt(rows, MEMBERSHIP_FIELDS, membershipKey));
          return row === null ? null : membershipFrom(row);
        }),
      ),

    facts: (requests) => Promise.all(requests.map(factsOf)),

    async add(decided) {
      const [{ claim }] = decided as [Decided];
      const encrypt = await encryptor(claim);
      return write(decided as [Decided], ADD, [
        claim.environment,
        claim.externalId,
        claim.claimNumber,
        carrierNameKey(claim.carrier.name),
        encrypt('carrier', JSON.stringify(claim.carrier)),
        encrypt('document', claim.asSent as string),
        ...assignmentValues(claim.assignment, encrypt),
      ]);
    },

    async save(decided) {
      const [{ claim }] = decided as [Decided];
      const encrypt = await encryptor(claim);
      const values = [...assignmentValues(claim.assignment, encrypt), ...workValues(claim, encrypt)];
      return write(decided as [Decided], SAVE_WITH_TIMESTAMP, values);
    },
  };
}
