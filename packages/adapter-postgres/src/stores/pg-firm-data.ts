import type { FirmData } from '@svc/application';
import { isUuid } from '../driver/column-types.ts';
import { type Session, type Statement, sql } from '../driver/session.ts';
import { HELD_CARRIER_COLUMNS, type HeldCarrierRow, heldCarrierFrom } from './carrier-rows.ts';
import { CLAIM_COLUMNS, type ClaimRow, claimFrom } from './claim-rows.ts';
import { ADJUSTER_COLUMNS, type AdjusterRow, adjusterFrom } from './pg-adjusters.ts';
import { MEMBERSHIP_COLUMNS, type MembershipRow, membershipFrom } from './pg-memberships.ts';

const CLAIMS = sql(
  'firm_data_claims',
  `SELECT ${CLAIM_COLUMNS} FROM claims c WHERE c.firm_id = $1 AND ($2::uuid IS NULL OR c.id > $2::uuid)
    ORDER BY c.id LIMIT $3`,
);
const MEMBERS = sql(
  'firm_data_members',
  `SELECT ${MEMBERSHIP_COLUMNS}, ${ADJUSTER_COLUMNS} FROM memberships m JOIN adjusters a ON a.svc_id = m.svc_id
    WHERE m.firm_id = $1 AND ($2::text IS NULL OR m.svc_id > $2::text) ORDER BY m.svc_id LIMIT $3`,
);
const CARRIERS = sql(
  'firm_data_carriers',
  `SELECT held.name_key, ${HELD_CARRIER_COLUMNS} FROM carriers held
    WHERE held.firm_id = $1 AND ($2::text IS NULL OR held.name_key > $2::text) ORDER BY held.name_key LIMIT $3`,
);

const CLOSE = sql(
  'firm_data_close',
  `WITH keys AS (DELETE FROM api_keys WHERE firm_id = $1), members AS (DELETE FROM memberships WHERE firm_id = $1)
   UPDATE registry_version SET version = version + 1`,
);

const BATCH_SIZE = 2000;
/** Of the rows that meet the condition, with the firm as `$1`. */
const eraseFrom = (table: string, condition = 'firm_id = $1'): Statement =>
  sql(
    `firm_data_erase_${table.replace(/\W/g, '_')}`,
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH_SIZE}))
       RETURNING 1`,
  );
const OF_TEST_ACCOUNTS = 'svc_id IN (SELECT a.svc_id FROM adjusters a WHERE a.test_firm_id = $1)';
/** In the order of their references. Rows of the audit trail stay. */
const ERASE: readonly Statement[] = [
  eraseFrom('graphile_worker._private_jobs', "payload->>'firmId' = $1::uuid::text AND locked_at IS NULL"),
  eraseFrom('idempotency_records'),
  eraseFrom('claims'),
  eraseFrom('carriers'),
  eraseFrom('request_log'),
  eraseFrom('simulated_faults'),
  eraseFrom('memberships'),
  eraseFrom('api_keys'),
  eraseFrom('sessions', OF_TEST_ACCOUNTS),
  eraseFrom('devices', OF_TEST_ACCOUNTS),
  eraseFrom('email_changes', OF_TEST_ACCOUNTS),
  eraseFrom('adjusters', 'test_firm_id = $1'),
];

/** @param session each statement on its own connection, so that none delays requests. */
export const pgFirmData = (session: Session): FirmData => ({
  async claims(firmId, after, limit) {
    return (await session.rows<ClaimRow>(CLAIMS, [firmId, after, limit])).map(claimFrom);
  },

  async members(firmId, after, limit) {
    const rows = await session.rows<MembershipRow & AdjusterRow>(MEMBERS, [firmId, after, limit]);
    return rows.map((row) => ({ membership: membershipFrom(row), adjuster: adjusterFrom(row) }));
  },

  async carriers(firmId, after, limit) {
    const rows = await session.rows<HeldCarrierRow & { name_key: string }>(CARRIERS, [firmId, after, limit]);
    return rows.flatMap((row) => {
      const carrier = heldCarrierFrom(row);
      return carrier === null ? [] : [{ nameKey: row.name_key, carrier }];
    });
  },

  async close(firmId) {
    if (isUuid(firmId)) await session.rows(CLOSE, [firmId]);
  },

  async eraseSome(firmId) {
    for (const statement of ERASE) {
      const erased = (await session.rows(statement, [firmId])).length;
      if (erased > 0) return erased;
    }
    return 0;
  },
});
