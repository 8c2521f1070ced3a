import { type Adjusters, emailTaken } from '@svc/application';
import type {
  Adjuster,
  AdjusterCredentials,
  Availability,
  FirmId,
  Instant,
  Svcid,
  TestBehavior,
} from '@svc/domain';
import { timestampOrNull } from '../driver/column-types.ts';
import { first, type Statement, sql, type TransactionExecutor, type Value } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import { countEdit } from './adjuster-edits.ts';

export interface AdjusterRow {
  readonly svc_id: Svcid;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly test_firm_id: FirmId | null;
  readonly test_behavior: TestBehavior | null;
  readonly disabled_at: Instant | null;
  /** JSON; this and the next ones only where the adjuster's own account is read. */
  readonly availability?: string | null;
  readonly email_confirmed?: boolean;
  /** JSON. */
  readonly credentials?: string | null;
}

/** Columns of `adjusters a` for {@link AdjusterRow}. */
export const ADJUSTER_COLUMNS =
  'a.svc_id, a.first_name, a.last_name, a.email, a.test_firm_id, a.test_behavior, a.disabled_at';

const adjusterFrom = (row: AdjusterRow): Adjuster => ({
  svcId: row.svc_id,
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  testOf:
    row.test_firm_id === null || row.test_behavior === null
      ? null
      : { firmId: row.test_firm_id, behavior: row.test_behavior },
  ...(row.disabled_at !== null && { disabledAt: row.disabled_at }),
  ...(row.email_confirmed === true && { emailConfirmed: true }),
  ...(row.credentials != null && { credentials: JSON.parse(row.credentials) as AdjusterCredentials }),
  ...(row.availability != null && { availability: JSON.parse(row.availability) as Availability }),
});

export const FIND_ADJUSTER = sql(
  'adjusters_find',
  `SELECT ${ADJUSTER_COLUMNS}, a.availability, a.email_confirmed, a.credentials FROM adjusters a WHERE a.svc_id = $1`,
);

// NO KEY: inserts of memberships and sessions that reference the row do not wait.
const LOCK = sql('adjusters_lock', `${FIND_ADJUSTER.text} FOR NO KEY UPDATE`);

const FIND_BY_EMAIL = sql(
  'adjusters_find_by_email',
  `SELECT ${ADJUSTER_COLUMNS} FROM adjusters a WHERE a.email_key = ANY($1::text[]) AND a.test_firm_id IS NULL`,
);

const ADD = sql(
  'adjusters_add',
  `INSERT INTO adjusters (svc_id, first_name, last_name, email, email_key, test_firm_id, test_behavior,
     sign_in_secret_hash)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (svc_id) DO NOTHING RETURNING svc_id`,
);

const SAVE_PROFILE = sql(
  'adjusters_save_profile',
  `UPDATE adjusters SET first_name = $2, last_name = $3, email = $4, email_key = $5, email_confirmed = $6
    WHERE svc_id = $1`,
);

const CONFIRM_EMAIL = sql(
  'adjusters_confirm_email',
  'UPDATE adjusters SET email_confirmed = true WHERE svc_id = $1 AND NOT email_confirmed',
);

const SAVE_AVAILABILITY = sql(
  'adjusters_save_availability',
  'UPDATE adjusters SET availability = $2::json WHERE svc_id = $1',
);

const SAVE_CREDENTIALS = sql(
  'adjusters_save_credentials',
  'UPDATE adjusters SET credentials = $2::json WHERE svc_id = $1',
);

const SET_DISABLED = sql('adjusters_set_disabled', 'UPDATE adjusters SET disabled_at = $2 WHERE svc_id = $1');

const SIGN_IN_SECRET_HASH = sql(
  'adjusters_sign_in_secret_hash',
  'SELECT sign_in_secret_hash AS hash FROM adjusters WHERE svc_id = $1',
);

const FIELDS = fieldsOf(PERSONAL.adjusters);

export async function adjustersFrom(encryption: Encryption, rows: AdjusterRow[]): Promise<Adjuster[]> {
  const opened = await encryption.decrypt(rows, FIELDS, ({ svc_id }) => ({ firmId: SERVICE, key: svc_id }));
  return opened.map(adjusterFrom);
}

export function pgAdjusters(executor: TransactionExecutor, encryption: Encryption): Adjusters {
  const one = async (statement: Statement, value: Value): Promise<Adjuster | null> =>
    first(await adjustersFrom(encryption, await executor.rows<AdjusterRow>(statement, [value])));
  const encryptor = (svcId: Svcid) => encryption.encryptor(PERSONAL.adjusters, SERVICE, svcId);

  /** @throws email_taken also where the other account was stored before encryption was on, under another key. */
  const emailKeyFor = async ({ svcId, email, testOf }: Adjuster): Promise<string | null> => {
    if (email === null) return null;
    const [written, ...before] = await encryption.lookupKeys(PERSONAL.adjusters, email);
    const holder = testOf !== null || before.length === 0 ? null : await one(FIND_BY_EMAIL, before);
    if (holder !== null && holder.svcId !== svcId) throw emailTaken();
    return written;
  };
  const profileValues = async (adjuster: Adjuster): Promise<Value[]> => {
    const { svcId, firstName, lastName, email } = adjuster;
    const encrypt = await encryptor(svcId);
    return [
      svcId,
      encrypt('first_name', firstName),
      encrypt('last_name', lastName),
      encrypt('email', email),
      await emailKeyFor(adjuster),
    ];
  };

  return {
    find: (svcId) => one(FIND_ADJUSTER, svcId),
    lock: (svcId) => one(LOCK, svcId),
    findByEmail: async (email) => one(FIND_BY_EMAIL, await encryption.lookupKeys(PERSONAL.adjusters, email)),

    async add(adjuster, signInSecretHash) {
      const { testOf } = adjuster;
      const testValues = [testOf?.firmId ?? null, testOf?.behavior ?? null, signInSecretHash];
      return (await executor.rows(ADD, [...(await profileValues(adjuster)), ...testValues])).length === 1;
    },

    async saveProfile(adjuster) {
      const isConfirmed = adjuster.emailConfirmed === true;
      await executor.rows(SAVE_PROFILE, [...(await profileValues(adjuster)), isConfirmed]);
      countEdit(executor, adjuster.svcId);
    },

    async confirmEmail(svcId) {
      await executor.rows(CONFIRM_EMAIL, [svcId]);
    },

    async saveAvailability(svcId, availability) {
      const encrypt = await encryptor(svcId);
      await executor.rows(SAVE_AVAILABILITY, [svcId, encrypt('availability', JSON.stringify(availability))]);
      countEdit(executor, svcId);
    },

    async saveCredentials(svcId, credentials) {
      const encrypt = await encryptor(svcId);
      await executor.rows(SAVE_CREDENTIALS, [svcId, encrypt('credentials', JSON.stringify(credentials))]);
      countEdit(executor, svcId);
    },

    async setDisabled(svcId, at) {
      await executor.rows(SET_DISABLED, [svcId, timestampOrNull(at)]);
    },

    async signInSecretHash(svcId) {
      return first(await executor.rows<{ hash: string | null }>(SIGN_IN_SECRET_HASH, [svcId]))?.hash ?? null;
    },
  };
}
