import {
  type AdjusterView,
  adjusterViewBytes,
  type ClaimFilter,
  type ClaimView,
  type FirmReads,
  jsonBytes,
  type KeysetPosition,
  type PageRequest,
  toPage,
} from '@svc/application';
import { type ClaimAsSent, type Environment, type FirmId, isClaimVisible } from '@svc/domain';
import { isUuid } from '../driver/column-types.ts';
import { type Executor, first, rowByKey, type Statement, sql, type Value } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import {
  assignmentFrom,
  FIRM_CLAIM_COLUMNS,
  FIRM_CLAIM_FIELDS,
  type FirmClaimRow,
  LISTED_CLAIM_COLUMNS,
} from '../stores/claim-rows.ts';
import { findBoundClaim } from '../stores/pg-idempotency.ts';
import { MEMBER_COLUMNS, type MemberRow, membersFrom } from '../stores/pg-memberships.ts';
import { claimsById } from './claims-by-id.ts';
import { documentBytes, withLargeValues } from './large-columns.ts';
import { fetchCount, positionBefore, positionValues, uuidPositionValues } from './pages.ts';

/** `isClaimVisible` in `@svc/domain`: a live key also reads test claims, a test key reads nothing else. */
const ENVIRONMENT_CONDITION: Readonly<Record<Environment, string>> = {
  live: '',
  test: "AND c.environment = 'test'",
};

const forEachEnvironment = (
  statementFor: (environment: Environment) => Statement,
): Record<Environment, Statement> => ({
  live: statementFor('live'),
  test: statementFor('test'),
});

const feedsOf = (columns: string) => {
  const feed = (name: string, filter = '') =>
    forEachEnvironment((environment) =>
      sql(
        `${name}_${environment}`,
        `SELECT ${columns} FROM claims c
          WHERE c.firm_id = $1 ${filter} AND (c.updated_at, c.id) > ($2, $3) ${ENVIRONMENT_CONDITION[environment]}
          ORDER BY c.updated_at, c.id LIMIT $4`,
      ),
    );
  return { all: feed('firm_feed'), byStatus: feed('firm_feed_by_status', 'AND c.status = $5') };
};

const FEEDS = feedsOf(LISTED_CLAIM_COLUMNS);

/** At most one row, so the other filters need no index. */
const BY_EXTERNAL_ID = sql(
  'firm_claim_by_external_id',
  `SELECT ${FIRM_CLAIM_COLUMNS}
     FROM (${rowByKey('claims', { firm_id: '$1', environment: '$4', external_id: '$5' })}) c
    WHERE (c.updated_at, c.id) > ($2, $3) AND ($6::text IS NULL OR c.status = $6)`,
);

/** Of `memberships m`. */
const ACCOUNT = `CROSS JOIN LATERAL (${rowByKey('adjusters', { svc_id: 'm.svc_id' })}) a`;

const ADJUSTERS: Readonly<Record<Environment, Statement>> = {
  live: sql(
    'firm_adjusters_live',
    `SELECT ${MEMBER_COLUMNS} FROM memberships m ${ACCOUNT}
      WHERE m.firm_id = $1 AND m.status <> 'left' AND (m.first_known_at, m.svc_id) > ($2, $3)
      ORDER BY m.first_known_at, m.svc_id LIMIT $4`,
  ),
  // `isAdjusterVisible` in `@svc/domain`. Starts from the few test accounts: the firm may have thousands of members.
  test: sql(
    'firm_adjusters_test',
    `SELECT ${MEMBER_COLUMNS}
       FROM adjusters a
       CROSS JOIN LATERAL (${rowByKey('memberships', { firm_id: '$1', svc_id: 'a.svc_id' })}) m
      WHERE a.test_firm_id = $1 AND m.status <> 'left' AND (m.first_known_at, m.svc_id) > ($2, $3)
      ORDER BY m.first_known_at, m.svc_id LIMIT $4`,
  ),
};

const ADJUSTER = sql(
  'firm_adjuster',
  `SELECT ${MEMBER_COLUMNS}
     FROM (${rowByKey('memberships', { firm_id: '$1', svc_id: '$2' })}) m ${ACCOUNT} WHERE m.status <> 'left'`,
);

export const claimViewFrom = (row: FirmClaimRow): ClaimView => ({
  id: row.id,
  environment: row.environment,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  assignment: assignmentFrom(row),
  asSent: row.document as ClaimAsSent,
});

const feedPosition = (row: FirmClaimRow): KeysetPosition => ({ at: row.updated_at, id: row.id });
const feedBytes = (row: FirmClaimRow): number => documentBytes(row) + jsonBytes(row.rejection_reason);
const listPosition = ({ membership }: AdjusterView): KeysetPosition => ({
  at: membership.firstKnownAt,
  id: membership.svcId,
});

/** The later of `updatedSince` and the cursor. */
function startPosition({ updatedSince }: ClaimFilter, { after }: PageRequest): KeysetPosition | null {
  if (updatedSince === undefined) return after;
  return after !== null && after.at >= updatedSince ? after : positionBefore(updatedSince);
}

export function pgFirmReads(
  executor: Executor,
  encryption: Encryption,
  options: { readonly maxTogether?: number } = {},
): FirmReads {
  const claimById = claimsById(executor, options);
  const decryptClaims = (firmId: FirmId, rows: FirmClaimRow[]) =>
    encryption.decrypt(rows, FIRM_CLAIM_FIELDS, ({ id }) => ({ firmId, key: id }));
  return {
    async claim(firmId, environment, id) {
      if (!isUuid(id)) return null;
      const row = await claimById({ firmId, id });
      if (row === null || !isClaimVisible(row, environment)) return null;
      const [opened = row] = await decryptClaims(firmId, [row]);
      return claimViewFrom(opened);
    },

    async boundClaim(slot, now) {
      const row = await findBoundClaim(executor, slot, now);
      if (row === null) return null;
      const [opened = row] = await decryptClaims(slot.firmId, [row]);
      return { fingerprint: row.fingerprint, claim: claimViewFrom(opened) };
    },

    async claims(firmId, environment, filter, page) {
      const { externalId, assignmentStatus: status } = filter;
      const from: Value[] = [firmId, ...uuidPositionValues(startPosition(filter, page))];
      const query = (): Promise<FirmClaimRow[]> => {
        if (externalId !== undefined) {
          return executor.rows(BY_EXTERNAL_ID, [...from, environment, externalId, status ?? null]);
        }
        if (status !== undefined) {
          return executor.rows(FEEDS.byStatus[environment], [...from, fetchCount(page), status]);
        }
        return executor.rows(FEEDS.all[environment], [...from, fetchCount(page)]);
      };
      const { rows, next } = toPage(await query(), page, feedPosition, feedBytes);
      const complete = await withLargeValues(executor, rows, () => firmId);
      return { rows: (await decryptClaims(firmId, complete)).map(claimViewFrom), next };
    },

    async adjusters(firmId, environment, page) {
      const values = [firmId, ...positionValues(page.after), fetchCount(page)];
      const found = await executor.rows<MemberRow>(ADJUSTERS[environment], values);
      return toPage(await membersFrom(encryption, found), page, listPosition, adjusterViewBytes);
    },

    async adjuster(firmId, svcId) {
      return first(await membersFrom(encryption, await executor.rows<MemberRow>(ADJUSTER, [firmId, svcId])));
    },
  };
}
