import { type Clock, IDEMPOTENCY_WINDOW_MS, summaryOf } from '@svc/application';
import { type Claim, type ClaimId, carrierNameKey, type FirmId, type Instant } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, type Statement, sql, type TransactionExecutor, type Value } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import type { ClaimResponse, Decided, Facts, FactsRequest, FirmStatements } from '../firm-statements.ts';
import { addMany } from '../jobs/job-table.ts';
import { auditRow, type NewAuditRow, rowValues } from '../stores/audit-rows.ts';
import { CLAIM_FORMS, FORM_COLUMNS, type FormRow } from '../stores/carrier-rows.ts';
import { assignmentValues, type ClaimRow, SET_CLAIM, workValues } from '../stores/claim-rows.ts';
import { ACCESS_COLUMNS, type AccessRow, type OfferedRow, offeredFrom } from '../stores/offered-rows.ts';
import { pgAdjusters } from '../stores/pg-adjusters.ts';
import { advanceIn, hexOf, type Link } from '../stores/pg-audit.ts';
import { encryptedDetails, hasDetails, mergeRow } from '../stores/pg-carriers.ts';
import { LOCK_CLAIM, lockAndCountPending, lockClaim } from '../stores/pg-claims.ts';
import { BIND_ROW, findValues, replaceOutdated } from '../stores/pg-idempotency.ts';
import { findMembership, type MembershipRow, membershipsFrom } from '../stores/pg-memberships.ts';
import { endOffers } from '../stores/pg-offer-history.ts';
import { appendWithLink, takeTimestamp } from './timestamps.ts';

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
  `INSERT INTO claims (firm_id, created_at, updated_at, id, environment, external_id, claim_number, carrier_key, cat_code, carrier,
     document, summary, status, adjuster_svc_id, offered_at, responded_at, rejection_reason, offered_by, audit_seq)
   VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9::json, $10::json, $11::json, $12, $13, $14, $15, $16, $17, $18) RETURNING updated_at`,
);

const FIND_SENDER = sql(
  'claims_find_sender',
  `SELECT m.firm_id FROM memberships m JOIN claims c ON c.firm_id = m.firm_id AND c.id = $2
    WHERE m.svc_id = $1`,
);
/** After the firm was found. */
const LOCK_ACCESS = sql(
  'claims_lock_access',
  `SELECT ${ACCESS_COLUMNS} FROM memberships m WHERE m.firm_id = $1 AND m.svc_id = $2 FOR SHARE`,
);
const FORMS_OF_CLAIM = sql(
  'claims_forms',
  `SELECT ${FORM_COLUMNS} FROM claims c ${CLAIM_FORMS} WHERE c.firm_id = $1 AND c.id = $2`,
);

/** After `takeTimestamp`. */
const SAVE_WITH_TIMESTAMP = sql(
  'claims_save_with_timestamp',
  `${SET_CLAIM}, updated_at = $2, audit_seq = coalesce($23, audit_seq)
    WHERE firm_id = $1 AND id = $3 RETURNING updated_at`,
);

const APPEND_LINK = sql('audit_append_link', `${advanceIn('$2')}, ${hexOf('audit_hash')} AS audit_hash`);

interface Saved {
  readonly updated_at: Instant;
}

/** Statements on one shard each, for one request: the claims of a group may be on several nodes. */
export function citusStatements(
  executor: TransactionExecutor,
  clock: Clock,
  encryption: Encryption,
): FirmStatements {
  const factsOf = async ({ slot, at, adjuster, externalId, claimNumber }: FactsRequest): Promise<Facts> => {
    // The key last: a duplicate that was found is then never that of an earlier request whose key was not.
    const [duplicate = null, account, bound] = await Promise.all([
      externalId === undefined || claimNumber === undefined
        ? null
        : executor
            .rows<NonNullable<Facts['duplicate']>>(FIND_DUPLICATE, [
              slot.firmId,
              slot.environment,
              externalId,
              claimNumber,
            ])
            .then(first),
      pgAdjusters(executor, encryption).find(adjuster),
      executor.rows<NonNullable<Facts['bound']>>(FIND_KEY, findValues(slot, at)).then(first),
    ]);
    return { duplicate, adjuster: account, bound };
  };
  const merge = async ({ firmId, carrier }: Claim): Promise<void> => {
    const nameKey = carrierNameKey(carrier.name);
    const details = await encryptedDetails(encryption, firmId, nameKey, carrier);
    if ((await executor.rows(HAS_DETAILS, [firmId, nameKey, ...details])).length === 0)
      executor.send(MERGE, [firmId, nameKey, carrier.name, ...details]);
  };
  const write = async (
    decided: readonly [Decided],
    statement: Statement,
    values: readonly Value[],
  ): Promise<ReadonlyMap<ClaimId, Instant>> => {
    const [{ claim, jobs, event, request }] = decided;
    if (request !== undefined) {
      const { slot, fingerprint, at } = request;
      const times = [timestamp(at), timestamp(at - IDEMPOTENCY_WINDOW_MS)];
      executor.send(BIND, [slot.firmId, slot.environment, slot.key, fingerprint, claim.id, ...times]);
    }
    if (jobs.length > 0) addMany(executor, jobs);
    await endOffers(
      executor,
      encryption,
      decided.flatMap(({ ended }) => ended ?? []),
    );
    if (statement === ADD) await merge(claim);
    const { at, auditSeq } = await takeTimestamp(
      executor,
      claim.firmId,
      clock.now(),
      rowValues(auditRow(event)),
    );
    const saved = await executor.rowsAndCommit<Saved>(statement, [
      claim.firmId,
      at,
      claim.id,
      ...values,
      auditSeq,
    ]);
    return new Map(saved.map(({ updated_at }) => [claim.id, updated_at]));
  };
  const lockOffered = async ({ svcId, id }: ClaimResponse): Promise<OfferedRow[]> => {
    // A statement locks rows of only one firm.
    const firm = first(await executor.rows<{ firm_id: FirmId }>(FIND_SENDER, [svcId, id]));
    if (firm === null) return [];
    const firmId = firm.firm_id;
    const [access, claim, forms] = await Promise.all([
      executor.rows<AccessRow>(LOCK_ACCESS, [firmId, svcId]).then(first),
      executor.rows<ClaimRow>(LOCK_CLAIM, [firmId, id]).then(first),
      executor.rows<FormRow>(FORMS_OF_CLAIM, [firmId, id]).then(first),
    ]);
    return claim?.adjuster_svc_id === svcId && access && forms ? [{ ...access, ...claim, ...forms }] : [];
  };
  const encryptor = ({ firmId, id }: Claim) => encryption.encryptor(PERSONAL.claims, firmId, id);
  const valuesOf = async (claim: Claim): Promise<Value[]> => {
    const encrypt = await encryptor(claim);
    return [...assignmentValues(claim.assignment, encrypt), ...workValues(claim, encrypt)];
  };
  const appendRow = async (row: NewAuditRow): Promise<void> => {
    const values = rowValues(row);
    const link = first(await executor.rows<Link>(APPEND_LINK, [row.chain, values[2]]));
    if (link === null) throw new DatabaseError('audit_append_link wrote no row.');
    appendWithLink(executor, row.chain, values, link);
  };

  return {
    lockMemberships: (requests) =>
      Promise.all(
        requests.map(async ({ slot, adjuster }) => {
          const rows = await executor.rows<MembershipRow>(LOCK_MEMBERSHIP, [slot.firmId, adjuster]);
          return first(await membershipsFrom(encryption, rows));
        }),
      ),

    lockClaims: (requests) =>
      Promise.all(
        requests.map(({ slot, claimId }) =>
          claimId === undefined ? null : lockClaim(executor, encryption, slot.firmId, claimId),
        ),
      ),

    facts: (requests) => Promise.all(requests.map(factsOf)),

    async add(decided) {
      const [{ claim }] = decided as [Decided];
      const encrypt = await encryptor(claim);
      const summary = summaryOf(claim.asSent);
      return write(decided as [Decided], ADD, [
        claim.environment,
        claim.externalId,
        claim.claimNumber,
        carrierNameKey(claim.carrier.name),
        summary.catCode ?? null,
        encrypt('carrier', JSON.stringify(claim.carrier)),
        encrypt('document', claim.asSent as string),
        encrypt('summary', JSON.stringify(summary)),
        ...assignmentValues(claim.assignment, encrypt),
      ]);
    },

    async save(decided) {
      const [{ claim }] = decided as [Decided];
      return write(decided as [Decided], SAVE_WITH_TIMESTAMP, await valuesOf(claim));
    },

    lockAndCountPending: (svcId) => lockAndCountPending(executor, encryption, svcId),

    lockOffered: async (responses) =>
      offeredFrom((await Promise.all(responses.map(lockOffered))).flat(), encryption),

    async saveOne(claim) {
      const { firmId, id } = claim;
      const { at, auditSeq } = await takeTimestamp(executor, firmId, clock.now(), null);
      const saved = await executor.rows<Saved>(SAVE_WITH_TIMESTAMP, [
        firmId,
        at,
        id,
        ...(await valuesOf(claim)),
        auditSeq,
      ]);
      return first(saved)?.updated_at ?? null;
    },

    appendRow,

    async appendToAvailableChains(rows) {
      // They are on several nodes.
      for (const row of rows) await appendRow(row);
      return [];
    },
  };
}
