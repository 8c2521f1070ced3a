import {
  type AccountReads,
  type AppClaimList,
  type AppReads,
  AT_ONCE,
  accountRef,
  type Clock,
  type FirmMembershipView,
  type InvitationView,
  invitationBytes,
  jsonBytes,
  type KeysetPosition,
  toPage,
} from '@svc/application';
import type { ClaimId, Instant, Svcid } from '@svc/domain';
import { MoreThan } from 'typeorm';
import { isUuid, timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { first, rowByKey, type Statement, sql, type Value } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';
import { CLAIM_FORMS } from '../stores/carrier-rows.ts';
import { type AdjusterRow, adjustersFrom, FIND_ADJUSTER } from '../stores/pg-adjusters.ts';
import { SHARING_COLUMNS, type SharingRow, sharingFrom } from '../stores/pg-memberships.ts';
import { findPasskeys } from '../stores/pg-passkeys.ts';
import { findSessions } from '../stores/pg-sessions.ts';
import {
  APP_CLAIM_COLUMNS,
  type AppClaimRow,
  appClaimFrom,
  decryptAppClaims,
  LISTED_APP_CLAIM_COLUMNS,
} from './app-claim-rows.ts';
import { detailsBytes, documentBytes, withLargeValues } from './large-columns.ts';
import { fetchCount, uuidPositionValues } from './pages.ts';

/** Those of the adjuster `$1`, in the order of one index as in {@link rowByKey}; OFFSET keeps conditions of the statement out. */
const MEMBERSHIPS_OF = '(SELECT * FROM memberships WHERE svc_id BETWEEN $1 AND $1 ORDER BY svc_id OFFSET 0)';

const FIRM_OF = `CROSS JOIN LATERAL (${rowByKey('firms', { id: 'm.firm_id' })}) f`;

const MEMBERSHIPS = sql(
  'app_memberships',
  `SELECT m.firm_id AS "firmId", f.name AS "firmName", m.can_accept_claims AS "canAcceptClaims",
     m.accepting_assignments AS "acceptingAssignments", ${SHARING_COLUMNS}
     FROM ${MEMBERSHIPS_OF} m ${FIRM_OF}
    WHERE m.svc_id = $1 AND m.status = 'active' ORDER BY m.first_known_at, m.firm_id`,
);

const INVITATIONS = sql(
  'app_invitations',
  `SELECT m.firm_id AS "firmId", f.name AS "firmName", m.invited_as AS "invitedAs", m.invited_at AS "invitedAt",
     m.expires_at AS "expiresAt", m.seen_at AS "seenAt"
     FROM ${MEMBERSHIPS_OF} m ${FIRM_OF}
    WHERE m.svc_id = $1 AND m.status = 'pending' AND m.expires_at > $2 AND (m.invited_at, m.firm_id) > ($3, $4)
    ORDER BY m.invited_at, m.firm_id LIMIT $5`,
);

/** The domain's `isReadableBy`, for `claims c` and the adjuster's `memberships m`. */
const READABLE = `(m.status = 'active' AND c.status IN ('pending_acceptance', 'accepted')
  OR c.status = 'accepted' AND c.closed_at IS NULL AND (m.readable_until IS NULL OR m.readable_until > $3))`;

const LIST_CONDITIONS: Readonly<Record<AppClaimList, string>> = {
  pending_acceptance: "c.status = 'pending_acceptance' AND c.closed_at IS NULL",
  accepted: "c.status = 'accepted' AND c.closed_at IS NULL",
  closed: "c.status = 'accepted' AND c.closed_at IS NOT NULL",
};

/** What the firm owes its carriers is part of each of its claims. */
const CLOCKS_CHANGED = `(SELECT (clocks ->> 'changedAt')::bigint FROM firms WHERE id = m.firm_id)
  >= extract(epoch FROM $6::timestamptz) * 1000`;

/**
 * Merges a page from each firm the adjuster ever belonged to: accepted claims stay readable after leaving. Firms and
 * carriers are joined only for the rows of the page.
 */
const claimsOf = (list: AppClaimList, changedOnly: boolean): Statement =>
  sql(
    `app_${changedOnly ? 'changed_' : ''}claims_${list}`,
    `SELECT ${LISTED_APP_CLAIM_COLUMNS}
       FROM (
         SELECT own.* FROM memberships m CROSS JOIN LATERAL (
           SELECT c.* FROM claims c
            WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = $1 AND ${LIST_CONDITIONS[list]} AND ${READABLE}
              AND (c.offered_at, c.id) > ($2, $4)
              ${changedOnly ? `AND (greatest(c.updated_at, c.work_changed_at, c.closed_at) >= $6 OR ${CLOCKS_CHANGED})` : ''}
            ORDER BY c.offered_at, c.id LIMIT $5) own
          WHERE m.svc_id = $1
          ORDER BY own.offered_at, own.id LIMIT $5) c
       ${CLAIM_FORMS}
      ORDER BY c.offered_at, c.id`,
  );

/** More than an adjuster usually has; a piece of long work. */
const IDS_AT_ONCE = 2000;

const idsOf = (list: AppClaimList): Statement =>
  sql(
    `app_claim_ids_${list}`,
    `SELECT own.id, own.offered_at AS at FROM memberships m CROSS JOIN LATERAL (
        SELECT c.id, c.offered_at FROM claims c
         WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = $1 AND ${LIST_CONDITIONS[list]} AND ${READABLE}
           AND (c.offered_at, c.id) > ($2, $4)
         ORDER BY c.offered_at, c.id LIMIT $5) own
      WHERE m.svc_id = $1 ORDER BY own.offered_at, own.id LIMIT $5`,
  );

const forEachList = (statement: (list: AppClaimList) => Statement): Record<AppClaimList, Statement> => ({
  pending_acceptance: statement('pending_acceptance'),
  accepted: statement('accepted'),
  closed: statement('closed'),
});

const CLAIMS = forEachList((list) => claimsOf(list, false));
const CHANGED_CLAIMS = forEachList((list) => claimsOf(list, true));
const CLAIM_IDS = forEachList(idsOf);

const CLAIM = sql(
  'app_claim',
  `SELECT ${APP_CLAIM_COLUMNS} FROM memberships m
     CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: 'm.firm_id', id: '$2' })}) c ${CLAIM_FORMS}
    WHERE m.svc_id = $1 AND c.adjuster_svc_id = $1 AND ${READABLE}`,
);

/**
 * Changes with everything the app shows of open claims except the adjuster's own edits: count and newest offer of both
 * lists, and the state of each membership. An index-only scan of the claims.
 */
const REVISIONS = sql(
  'app_revisions',
  `SELECT m.svc_id AS "svcId",
     string_agg(concat_ws(' ', m.firm_id, m.status, m.invited_at, m.accepting_assignments, m.can_accept_claims,
       ${SHARING_COLUMNS}, pending.revision, accepted.revision), ';' ORDER BY m.firm_id) AS revision
     FROM memberships m
     CROSS JOIN LATERAL (
       SELECT concat_ws(' ', count(*), max(c.offered_at)) AS revision FROM claims c
        WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = m.svc_id AND c.status = 'pending_acceptance'
          AND c.closed_at IS NULL) pending
     CROSS JOIN LATERAL (
       SELECT concat_ws(' ', count(*), max(c.offered_at)) AS revision FROM claims c
        WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = m.svc_id AND c.status = 'accepted'
          AND c.closed_at IS NULL) accepted
    WHERE m.svc_id = ANY ($1::text[])
    GROUP BY m.svc_id`,
);

const EDITS = sql(
  'app_edits',
  'SELECT svc_id AS "svcId", count AS edits FROM adjuster_edits WHERE svc_id = ANY ($1::text[])',
);

const INVITATION_FIELDS = fieldsOf(PERSONAL.memberships, (column) =>
  column === 'invited_as' ? 'invitedAs' : column,
);

const offerPosition = (row: AppClaimRow): KeysetPosition => ({ at: row.offered_at, id: row.id });
const appClaimBytes = (row: AppClaimRow): number =>
  documentBytes(row) + detailsBytes(row.work_details) + jsonBytes(row.work_notes);

/** Of adjusters and of staff. */
export const pgAccountReads = ({ orm }: Pick<Database, 'orm'>, encryption: Encryption): AccountReads => ({
  passkeys: (of) => findPasskeys(orm, encryption, accountRef(of)),
  sessions: (of, now) => findSessions(orm, encryption, { ...accountRef(of), expiresAt: MoreThan(now) }),
});

export function pgAppReads(
  { reads: executor }: Pick<Database, 'reads'>,
  clock: Clock,
  encryption: Encryption,
): AppReads {
  return {
    async adjuster(svcId) {
      const rows = await executor.rows<AdjusterRow>(FIND_ADJUSTER, [svcId]);
      return first(await adjustersFrom(encryption, rows));
    },

    async memberships(svcId) {
      type Row = Omit<FirmMembershipView, 'sharing'> & SharingRow;
      const rows = await executor.rows<Row>(MEMBERSHIPS, [svcId]);
      return rows.map(({ firmId, firmName, canAcceptClaims, acceptingAssignments, ...row }) => ({
        ...{ firmId, firmName, canAcceptClaims, acceptingAssignments },
        sharing: sharingFrom(row),
      }));
    },

    async invitations(svcId, now, page) {
      const values: [Svcid, ...Value[]] = [
        svcId,
        timestamp(now),
        ...uuidPositionValues(page.after),
        fetchCount(page),
      ];
      const found = await executor.rows<InvitationView>(INVITATIONS, values);
      return toPage(
        await encryption.decrypt(found, INVITATION_FIELDS, ({ firmId }) => ({ firmId, key: svcId })),
        page,
        (row) => ({ at: row.invitedAt, id: row.firmId }),
        invitationBytes,
      );
    },

    async claims(svcId, list, page, since) {
      const [at, id] = uuidPositionValues(page.after);
      const values: [Svcid, ...Value[]] = [svcId, at, timestamp(clock.now()), id, fetchCount(page)];
      const found =
        since === undefined
          ? await executor.rows<AppClaimRow>(CLAIMS[list], values)
          : await executor.rows<AppClaimRow>(CHANGED_CLAIMS[list], [...values, timestamp(since)]);
      const { rows, next } = toPage(found, page, offerPosition, appClaimBytes);
      const complete = await withLargeValues(executor, rows, ({ firm_id }) => firm_id);
      return { rows: (await decryptAppClaims(encryption, complete)).map(appClaimFrom), next };
    },

    async claimIds(svcId, list, nextPiece = AT_ONCE) {
      // A claim that is offered again in between is read twice.
      const ids = new Set<ClaimId>();
      for (let after: KeysetPosition | null = null; ; await nextPiece()) {
        const [at, id] = uuidPositionValues(after);
        const values: [Svcid, ...Value[]] = [svcId, at, timestamp(clock.now()), id, IDS_AT_ONCE];
        type Row = { readonly id: ClaimId; readonly at: Instant };
        const rows: Row[] = await executor.rows<Row>(CLAIM_IDS[list], values);
        for (const row of rows) ids.add(row.id);
        after = rows.at(-1) ?? null;
        if (rows.length < IDS_AT_ONCE) return [...ids];
      }
    },

    async claim(svcId, id) {
      if (!isUuid(id)) return null;
      const rows = await executor.rows<AppClaimRow>(CLAIM, [svcId, id, timestamp(clock.now())]);
      const row = first(await decryptAppClaims(encryption, rows));
      return row === null ? null : appClaimFrom(row);
    },

    async revisions(svcIds) {
      const [lists, edits] = await Promise.all([
        executor.rows<{ svcId: Svcid; revision: string }>(REVISIONS, [svcIds]),
        executor.rows<{ svcId: Svcid; edits: string }>(EDITS, [svcIds]),
      ]);
      const listsOf = new Map(lists.map(({ svcId, revision }) => [svcId, revision]));
      const editsOf = new Map(edits.map((row) => [row.svcId, row.edits]));
      return new Map(
        svcIds.map((svcId) => [svcId, `${editsOf.get(svcId) ?? 0} ${listsOf.get(svcId) ?? ''}`]),
      );
    },
  };
}
