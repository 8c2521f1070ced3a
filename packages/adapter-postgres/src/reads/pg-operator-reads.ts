import { type FeedRestamp, type OperatorReads, toPage } from '@svc/application';
import { isUuid } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { first, sql } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { jobsOfClaim } from '../jobs/job-table.ts';
import { FIRMS } from '../schema/entities.ts';
import { CLAIM_FORMS } from '../stores/carrier-rows.ts';
import { claimOfEveryFirm } from '../stores/claim-rows.ts';
import { ADJUSTER_COLUMNS, type AdjusterRow, adjustersFrom } from '../stores/pg-adjusters.ts';
import { RESTAMPS } from '../stores/pg-feeds.ts';
import { findKeys, KEY_COLUMNS, keyRows, workingKeysOf } from '../stores/pg-keys.ts';
import { APP_CLAIM_COLUMNS, type AppClaimRow, appClaimFrom, decryptAppClaims } from './app-claim-rows.ts';
import { fetchCount, positionValues } from './pages.ts';

const TEST_ACCOUNTS = sql(
  'operator_test_accounts',
  `SELECT ${ADJUSTER_COLUMNS} FROM adjusters a WHERE a.test_firm_id = $1 ORDER BY a.svc_id`,
);

const KEY_PAGE = sql(
  'operator_key_page',
  `SELECT ${KEY_COLUMNS}
     FROM api_keys WHERE firm_id = $1 AND (created_at, id) < ($2::timestamptz, $3)
    ORDER BY created_at DESC, id DESC LIMIT $4`,
);
/** About the size of one as JSON. */
const KEY_BYTES = 800;

const IN_ORDER = { createdAt: 'ASC', id: 'ASC' } as const;

const CLAIM = sql(
  'operator_claim',
  `SELECT ${APP_CLAIM_COLUMNS}, c.external_id, c.claim_number FROM ${claimOfEveryFirm('$1')} ${CLAIM_FORMS}`,
);

export function pgOperatorReads(
  { reads: executor, orm }: Pick<Database, 'reads' | 'orm'>,
  encryption: Encryption,
): OperatorReads {
  return {
    latestRestamp: async () => first(await executor.rows<FeedRestamp>(RESTAMPS)),

    firms: () => orm('operator_firms', (manager) => manager.find(FIRMS, { order: IN_ORDER })),

    async firm(id) {
      return isUuid(id) ? orm('operator_firm', (manager) => manager.findOneBy(FIRMS, { id })) : null;
    },

    async testAccounts(firmId) {
      if (!isUuid(firmId)) return [];
      const rows = await executor.rows<AdjusterRow>(TEST_ACCOUNTS, [firmId]);
      return adjustersFrom(encryption, rows);
    },

    async keys(firmId) {
      if (!isUuid(firmId)) return [];
      return findKeys(orm, encryption, { where: { firmId }, order: IN_ORDER });
    },

    workingKeys: (firmId, now) => workingKeysOf(executor, encryption, firmId, now),

    async keyPage(firmId, page) {
      const [at, id] = page.after === null ? ['infinity', ''] : positionValues(page.after);
      const rows = await keyRows(executor, encryption, KEY_PAGE, [firmId, at, id, fetchCount(page)]);
      return toPage(
        rows,
        page,
        ({ createdAt, id }) => ({ at: createdAt, id }),
        () => KEY_BYTES,
      );
    },

    jobsOfClaim: (id) => jobsOfClaim(executor, id),

    async claim(id) {
      type Row = AppClaimRow & { readonly external_id: string; readonly claim_number: string };
      if (!isUuid(id)) return null;
      const row = first(await decryptAppClaims(encryption, await executor.rows<Row>(CLAIM, [id])));
      if (row === null) return null;
      return { ...appClaimFrom(row), externalId: row.external_id, claimNumber: row.claim_number };
    },
  };
}
