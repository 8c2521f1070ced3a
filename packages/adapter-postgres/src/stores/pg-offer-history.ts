import type {
  AuditRow,
  OfferEvent,
  OfferHistory,
  OfferHistoryEntry,
  OfferKey,
  OfferRecord,
  PushOutcome,
  ReminderStep,
  StoredOffer,
} from '@svc/application';
import {
  type ClaimId,
  carrierNameKey,
  type Environment,
  type FirmId,
  type Instant,
  isClaimVisible,
  MAX_OFFERS_READ,
  type OfferStatus,
  type Svcid,
} from '@svc/domain';
import { arrayOf, isUuid, NIL_UUID, timestamp, timestampOrNull } from '../driver/column-types.ts';
import { type Executor, first, rowByKey, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, offerRowKey, PERSONAL } from '../encryption/personal-columns.ts';
import type { EndedOffer } from '../firm-statements.ts';
import { STEPS_COLUMNS, type StepsRow, stepsFrom } from './claim-rows.ts';
import { hexOf } from './pg-audit.ts';

/** The outcomes as lines, since an array would escape the quotes of their JSON. Of a channel the later outcome stays. */
const APPEND = sql(
  'offers_append',
  `INSERT INTO offers AS o (firm_id, claim_id, offered_at, environment, adjuster_svc_id, first_seen_at, pushes)
   SELECT firm_id, claim_id, offered_at, environment, adjuster_svc_id, first_seen_at, pushes::jsonb
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[],
         string_to_array($7, E'\\n'))
       AS e (firm_id, claim_id, offered_at, environment, adjuster_svc_id, first_seen_at, pushes)
    ORDER BY firm_id, claim_id, offered_at
   ON CONFLICT (firm_id, claim_id, offered_at) DO UPDATE
      SET first_seen_at = least(o.first_seen_at, excluded.first_seen_at), pushes = o.pushes || excluded.pushes
    WHERE excluded.pushes <> '{}' OR o.first_seen_at IS NULL OR excluded.first_seen_at < o.first_seen_at`,
);

const remind = (column: 'reminder_queued_at' | 'reminded_at') =>
  sql(
    `offers_${column}`,
    `INSERT INTO offers AS o (firm_id, claim_id, offered_at, environment, adjuster_svc_id, ${column})
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (firm_id, claim_id, offered_at) DO UPDATE SET ${column} = excluded.${column}
      WHERE o.${column} IS NULL
     RETURNING true AS recorded`,
  );
const REMIND = { reminderQueuedAt: remind('reminder_queued_at'), remindedAt: remind('reminded_at') };

const END = sql(
  'offers_end',
  `INSERT INTO offers (firm_id, claim_id, offered_at, environment, adjuster_svc_id, carrier_key, status, responded_at,
     rejection_reason, ended_at, offered_by, withdrawn_by)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[],
     $8::timestamptz[], $9::text[], $10::timestamptz[], $11::text[], $12::text[])
   ON CONFLICT (firm_id, claim_id, offered_at) DO UPDATE SET carrier_key = excluded.carrier_key,
     status = excluded.status, responded_at = excluded.responded_at, rejection_reason = excluded.rejection_reason,
     ended_at = excluded.ended_at, offered_by = excluded.offered_by, withdrawn_by = excluded.withdrawn_by`,
);

const LINK_END = sql(
  'offers_link_end',
  `UPDATE offers SET audit_seq = (SELECT audit_seq FROM claims WHERE firm_id = $1 AND id = $2)
    WHERE firm_id = $1 AND claim_id = $2 AND offered_at = $3`,
);

const ENTRY_COLUMNS = 'o.first_seen_at, o.reminded_at, o.pushes::text AS pushes';

/** Of `audit_log l`. */
const AUDIT_COLUMNS = `l.seq, l.at, l.entry AS text, ${hexOf('l.hash')} AS hash`;
/** Of `claims c`. */
const LATEST_COLUMNS = `c.firm_id, c.id AS claim_id, c.external_id, c.environment, c.closed_at, c.status,
   c.adjuster_svc_id, c.offered_at, c.responded_at, c.rejection_reason,
   c.offered_by, c.withdrawn_by, NULL AS ended_at, ${STEPS_COLUMNS}, m.shares_clocks, ${ENTRY_COLUMNS}, ${AUDIT_COLUMNS}`;
const LATEST = sql(
  'offers_latest',
  `SELECT ${LATEST_COLUMNS} FROM (${rowByKey('claims', { firm_id: '$1', id: '$2' })}) c
     LEFT JOIN offers o ON o.firm_id = $1 AND o.claim_id = c.id AND o.offered_at = c.offered_at
     LEFT JOIN audit_log l ON l.firm_id = $1 AND l.seq = c.audit_seq
     LEFT JOIN memberships m ON m.firm_id = $1 AND m.svc_id = c.adjuster_svc_id AND m.status = 'active'`,
);

const EARLIER_TO_ADJUSTER = sql(
  'offers_earlier_to_adjuster',
  `SELECT o.firm_id, o.offered_at FROM memberships m
     JOIN offers o ON o.firm_id = m.firm_id AND o.claim_id = $2
    WHERE m.svc_id = $1 AND o.adjuster_svc_id = $1 AND o.ended_at IS NOT NULL`,
);
const EARLIER = sql(
  'offers_earlier',
  `SELECT o.firm_id, o.claim_id, c.external_id, o.environment, NULL::timestamptz AS closed_at, o.status, o.adjuster_svc_id,
     o.offered_at, o.responded_at, o.rejection_reason, o.offered_by, o.withdrawn_by, o.ended_at, ${ENTRY_COLUMNS}, ${AUDIT_COLUMNS}
     FROM (${rowByKey('offers', { firm_id: '$1', claim_id: '$2', offered_at: '$3' })}) o
     JOIN claims c ON c.firm_id = $1 AND c.id = o.claim_id
     LEFT JOIN audit_log l ON l.firm_id = $1 AND l.seq = o.audit_seq`,
);

const FIRM_OF_OFFER = sql(
  'offers_firm_of_adjuster',
  `SELECT m.firm_id FROM memberships m JOIN claims c ON c.firm_id = m.firm_id AND c.id = $2
    WHERE m.svc_id = $1 AND c.adjuster_svc_id = $1`,
);

interface StoredRow {
  readonly firm_id: FirmId;
  readonly claim_id: ClaimId;
  readonly offered_at: Instant;
  readonly adjuster_svc_id: Svcid;
  readonly status: OfferStatus;
  readonly responded_at: Instant | null;
  readonly rejection_reason: string | null;
  readonly offered_by: string | null;
  readonly withdrawn_by: string | null;
  readonly ended_at: Instant | null;
  readonly first_seen_at: Instant | null;
  readonly reminded_at: Instant | null;
  readonly pushes: string | null;
}

type LatestRow = StoredRow & {
  readonly external_id: string;
  readonly environment: Environment;
  readonly closed_at: Instant | null;
  /** Of an earlier offer, absent. */
  readonly shares_clocks?: boolean | null;
} & StepsRow &
  (({ readonly seq: string } & Omit<AuditRow, 'seq'>) | { readonly seq: null });

type Pushes = Readonly<Record<string, Omit<PushOutcome, 'channel'>>>;

const pushesFrom = (text: string): PushOutcome[] =>
  Object.entries(JSON.parse(text) as Pushes)
    .map(([channel, push]) => ({ channel, ...push }))
    .sort((one, other) => (one.channel < other.channel ? -1 : 1));

const entryFrom = (row: StoredRow): OfferHistoryEntry => ({
  offeredAt: row.offered_at,
  offeredBy: row.offered_by,
  adjuster: row.adjuster_svc_id,
  status: row.status,
  respondedAt: row.responded_at,
  rejectionReason: row.rejection_reason,
  ...(row.withdrawn_by !== null && { withdrawnBy: row.withdrawn_by }),
  endedAt: row.ended_at,
  firstSeenAt: row.first_seen_at,
  remindedAt: row.reminded_at,
  pushes: pushesFrom(row.pushes ?? '{}'),
});

const REASON_OF_CLAIM = fieldsOf(PERSONAL.claims).filter(({ property }) => property === 'rejection_reason');
const REASON_OF_OFFER = fieldsOf(PERSONAL.offers);

/** In the transaction that offers the claims again. */
export async function endOffers(
  executor: TransactionExecutor,
  encryption: Encryption,
  offers: readonly EndedOffer[],
): Promise<void> {
  if (offers.length === 0) return;
  const reasons = await Promise.all(
    offers.map(async ({ claim: { firmId, id, assignment }, end }) => {
      const key = offerRowKey(id, assignment.offeredAt);
      return (await encryption.encryptor(PERSONAL.offers, firmId, key))(
        'rejection_reason',
        end.rejectionReason,
      );
    }),
  );
  const claims = offers.map(({ claim }) => claim);
  const ends = offers.map(({ end }) => end);
  executor.send(END, [
    arrayOf(claims.map(({ firmId }) => firmId)),
    arrayOf(claims.map(({ id }) => id)),
    arrayOf(claims.map(({ assignment }) => timestamp(assignment.offeredAt))),
    arrayOf(claims.map(({ environment }) => environment)),
    claims.map(({ assignment }) => assignment.adjuster),
    claims.map(({ carrier }) => carrierNameKey(carrier.name)),
    arrayOf(ends.map(({ status }) => status)),
    arrayOf(ends.map(({ respondedAt }) => timestampOrNull(respondedAt))),
    reasons,
    arrayOf(ends.map(({ endedAt }) => timestamp(endedAt))),
    claims.map(({ assignment }) => assignment.offeredBy),
    ends.map(({ withdrawnBy }) => withdrawnBy ?? null),
  ]);
  // Before the claims get the row of the next offer.
  for (const { firmId, id, assignment } of claims)
    executor.send(LINK_END, [firmId, id, timestamp(assignment.offeredAt)]);
}

export async function recordReminder(
  executor: TransactionExecutor,
  { firmId, claimId, offeredAt, environment, adjuster }: OfferKey,
  step: ReminderStep,
  at: Instant,
): Promise<boolean> {
  const offer = [firmId, claimId, timestamp(offeredAt), environment, adjuster];
  return (await executor.rows(REMIND[step], [...offer, timestamp(at)])).length > 0;
}

const STORED_COLUMNS = `o.firm_id, o.claim_id, o.offered_at, o.adjuster_svc_id, o.status, o.responded_at, o.rejection_reason,
   o.offered_by, o.withdrawn_by, o.ended_at, ${ENTRY_COLUMNS}`;

const ENDED = sql(
  'offers_ended',
  `SELECT ${STORED_COLUMNS} FROM offers o WHERE o.firm_id = $1 AND o.claim_id = $2 AND o.ended_at IS NOT NULL
    ORDER BY o.offered_at DESC LIMIT ${MAX_OFFERS_READ - 1}`,
);

const OF_FIRM = sql(
  'firm_data_offers',
  `SELECT ${STORED_COLUMNS} FROM offers o WHERE o.firm_id = $1 AND (o.claim_id, o.offered_at) > ($2::uuid, $3::timestamptz)
    ORDER BY o.claim_id, o.offered_at LIMIT $4`,
);

const decryptOffers = <R extends StoredRow>(encryption: Encryption, rows: R[]): R[] | Promise<R[]> =>
  encryption.decrypt(rows, REASON_OF_OFFER, (row) => ({
    firmId: row.firm_id,
    key: offerRowKey(row.claim_id, row.offered_at),
  }));

/** A page of the offers of a firm, for its export. */
export async function offersOfFirm(
  executor: Executor,
  encryption: Encryption,
  firmId: FirmId,
  after: StoredOffer | null,
  limit: number,
): Promise<StoredOffer[]> {
  const position = [after?.claimId ?? NIL_UUID, timestamp(after?.offeredAt ?? 0)];
  const rows = await executor.rows<StoredRow>(OF_FIRM, [firmId, ...position, limit]);
  return (await decryptOffers(encryption, rows)).map((row) => {
    const { firstSeenAt, remindedAt, pushes, endedAt, offeredAt, offeredBy, adjuster, ...end } =
      entryFrom(row);
    const isEnded = endedAt !== null;
    const offer = { claimId: row.claim_id, offeredAt, offeredBy, adjuster, firstSeenAt, remindedAt, pushes };
    return { ...offer, end: isEnded ? { ...end, endedAt } : null };
  });
}

/** One row of each offer: a statement changes a row once. */
function rowsOf(events: readonly OfferEvent[]) {
  const rows = new Map<string, OfferEvent & { pushes: Record<string, Omit<PushOutcome, 'channel'>> }>();
  for (const event of events) {
    const key = `${event.firmId} ${event.claimId} ${event.offeredAt}`;
    const { pushes = {}, seenAt } = rows.get(key) ?? {};
    if (event.push !== undefined) {
      const { channel, ...push } = event.push;
      pushes[channel] = push;
    }
    const times = [seenAt, event.seenAt].filter((at) => at !== undefined);
    rows.set(key, {
      ...event,
      ...(times.length > 0 && { seenAt: Math.min(...times) }),
      pushes,
    });
  }
  return [...rows.values()];
}

/** @param maintenance for the batches, so that they do not delay the reads of requests. */
export function pgOfferHistory(
  executor: Executor,
  maintenance: Executor,
  encryption: Encryption,
): OfferHistory {
  const latestOf = async (firmId: FirmId, claimId: ClaimId): Promise<LatestRow | null> => {
    if (!isUuid(firmId) || !isUuid(claimId)) return null;
    const found = await executor.rows<LatestRow>(LATEST, [firmId, claimId]);
    return first(
      await encryption.decrypt(found, REASON_OF_CLAIM, (row) => ({ firmId: row.firm_id, key: row.claim_id })),
    );
  };
  const recordFrom = (row: LatestRow): OfferRecord => ({
    claimId: row.claim_id,
    firmId: row.firm_id,
    externalId: row.external_id,
    environment: row.environment,
    closedAt: row.closed_at,
    offer: entryFrom(row),
    steps: row.shares_clocks === true && row.status === 'accepted' ? stepsFrom(row) : null,
    audit: row.seq === null ? null : { seq: Number(row.seq), at: row.at, text: row.text, hash: row.hash },
  });
  return {
    async append(events) {
      if (events.length === 0) return;
      const rows = rowsOf(events);
      await maintenance.rows(APPEND, [
        arrayOf(rows.map(({ firmId }) => firmId)),
        arrayOf(rows.map(({ claimId }) => claimId)),
        arrayOf(rows.map(({ offeredAt }) => timestamp(offeredAt))),
        arrayOf(rows.map(({ environment }) => environment)),
        rows.map(({ adjuster }) => adjuster),
        arrayOf(rows.map(({ seenAt }) => timestampOrNull(seenAt ?? null))),
        rows.map(({ pushes }) => JSON.stringify(pushes)).join('\n'),
      ]);
    },

    async ofClaim(firmId, claimId) {
      const latest = await latestOf(firmId, claimId);
      if (latest === null) return [];
      const found = await executor.rows<StoredRow>(ENDED, [firmId, claimId]);
      // As of the first statement: the latest offer, or one after it, may have ended since.
      const earlier = found.filter(({ offered_at }) => offered_at < latest.offered_at);
      const ended = await decryptOffers(encryption, earlier);
      return [...ended.reverse(), latest].map(entryFrom);
    },

    async latestOfFirm(firmId, environment, claimId) {
      const row = await latestOf(firmId, claimId);
      return row === null || !isClaimVisible(row, environment) ? null : recordFrom(row);
    },

    async toAdjuster(svcId, claimId, offeredAt) {
      if (!isUuid(claimId)) return null;
      const firm = first(await executor.rows<{ firm_id: FirmId }>(FIRM_OF_OFFER, [svcId, claimId]));
      const latest = firm === null ? null : await latestOf(firm.firm_id, claimId);
      if (latest?.adjuster_svc_id === svcId && (offeredAt ?? latest.offered_at) === latest.offered_at)
        return recordFrom(latest);
      const values = [svcId, claimId] as const;
      const ended = await executor.rows<Pick<StoredRow, 'firm_id' | 'offered_at'>>(
        EARLIER_TO_ADJUSTER,
        values,
      );
      const found = ended
        .filter(({ offered_at }) => offeredAt === undefined || offered_at === offeredAt)
        .sort((one, other) => other.offered_at - one.offered_at)[0];
      if (found === undefined) return null;
      const key = [found.firm_id, claimId, timestamp(found.offered_at)];
      const rows = await decryptOffers(encryption, await executor.rows<LatestRow>(EARLIER, key));
      return rows[0] === undefined ? null : recordFrom(rows[0]);
    },
  };
}
