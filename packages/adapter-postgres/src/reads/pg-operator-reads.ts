import type { ApiKey, ClaimJob, FeedRestamp, OperatorReads } from '@svc/application';
import { isUuid } from '../driver/column-types.ts';
import { first, type Session, sql } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { CLAIM_FORMS, CLAIM_FORMS_ON_CITUS } from '../stores/carrier-rows.ts';
import { claimOfEveryFirm, claimOfEveryFirmOnCitus } from '../stores/claim-rows.ts';
import { FIRM_COLUMNS, type FirmRow, firmFrom } from '../stores/firm-rows.ts';
import {
  ADJUSTER_COLUMNS,
  type AdjusterRow,
  adjusterFrom,
  decryptAdjusters,
} from '../stores/pg-adjusters.ts';
import { RESTAMPS } from '../stores/pg-feeds.ts';
import { APP_CLAIM_COLUMNS, type AppClaimRow, appClaimFrom, decryptAppClaims } from './app-claim-rows.ts';

const FIRMS = sql('operator_firms', `SELECT ${FIRM_COLUMNS} FROM firms ORDER BY created_at, id`);
const FIRM = sql('operator_firm', `SELECT ${FIRM_COLUMNS} FROM firms WHERE id = $1`);

const TEST_ACCOUNTS = sql(
  'operator_test_accounts',
  `SELECT ${ADJUSTER_COLUMNS} FROM adjusters a WHERE a.test_firm_id = $1 ORDER BY a.svc_id`,
);

const KEYS = sql(
  'operator_keys',
  `SELECT id, firm_id AS "firmId", environment, purpose, secret_hash AS "secretHash", created_at AS "createdAt",
     expires_at AS "expiresAt", revoked_at AS "revokedAt", lifetime_ms AS "lifetimeMs",
     last_used_at AS "lastUsedAt"
     FROM api_keys WHERE firm_id = $1 ORDER BY created_at, id`,
);

const claim = (from: string): string =>
  `SELECT ${APP_CLAIM_COLUMNS}, c.external_id, c.claim_number FROM ${from}`;
const CLAIM = sql('operator_claim', claim(`${claimOfEveryFirm('$1')} ${CLAIM_FORMS}`));
const CLAIM_ON_CITUS = sql(
  'operator_claim_on_citus',
  claim(`${claimOfEveryFirmOnCitus('$1')} ${CLAIM_FORMS_ON_CITUS}`),
);

const JOBS_OF_CLAIM = sql(
  'operator_jobs_of_claim',
  `SELECT t.identifier AS kind, j.run_at AS "runAt", j.attempts, j.attempts >= j.max_attempts AS failed
     FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE j.payload ->> 'claimId' = $1 ORDER BY j.run_at, j.id`,
);

type OperatorClaimRow = AppClaimRow & { readonly external_id: string; readonly claim_number: string };

export function pgOperatorReads(session: Session, encryption: Encryption): OperatorReads {
  return {
    latestRestamp: async () => first(await session.rows<FeedRestamp>(RESTAMPS)),

    firms: async () => (await session.rows<FirmRow>(FIRMS)).map(firmFrom),

    async firm(id) {
      const row = isUuid(id) ? first(await session.rows<FirmRow>(FIRM, [id])) : null;
      return row === null ? null : firmFrom(row);
    },

    async testAccounts(firmId) {
      if (!isUuid(firmId)) return [];
      const rows = await session.rows<AdjusterRow>(TEST_ACCOUNTS, [firmId]);
      return (await decryptAdjusters(encryption, rows)).map(adjusterFrom);
    },

    async keys(firmId) {
      if (!isUuid(firmId)) return [];
      return session.rows<ApiKey>(KEYS, [firmId]);
    },

    jobsOfClaim: (id) => session.rows<ClaimJob>(JOBS_OF_CLAIM, [id]),

    async claim(id) {
      if (!isUuid(id)) return null;
      const row = first(
        await decryptAppClaims(
          encryption,
          await session.rows<OperatorClaimRow>(session.onCitus ? CLAIM_ON_CITUS : CLAIM, [id]),
        ),
      );
      if (row === null) return null;
      return { ...appClaimFrom(row), externalId: row.external_id, claimNumber: row.claim_number };
    },
  };
}
