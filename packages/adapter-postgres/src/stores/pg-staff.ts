import type { Staff, StaffReads } from '@svc/application';
import type { StaffMember, StaffRef } from '@svc/domain';
import { type FindOptionsOrder, type FindOptionsWhere, In } from 'typeorm';
import { timestamp, timestampOrNull } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { first, type Orm, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';
import { STAFF, type StaffRow } from '../schema/entities.ts';

const FIELDS = fieldsOf(PERSONAL.staff);

const LOCK = sql('staff_lock', 'SELECT FROM staff WHERE firm_id = $1 AND id = $2 FOR UPDATE');

const ADD = sql(
  'staff_add',
  `INSERT INTO staff (firm_id, id, name, email, email_key, role, invited_at, joined_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (firm_id, email_key) DO NOTHING RETURNING 1`,
);

const FIRMS_OF = sql(
  'staff_firms_of',
  `SELECT f.id, f.name, f.plan FROM staff s JOIN firms f ON f.id = s.firm_id
    WHERE s.email_key = ANY ($1::text[]) AND f.erasure IS NULL ORDER BY s.joined_at, s.invited_at, s.id`,
);

async function findStaff(
  orm: Orm,
  encryption: Encryption,
  where: FindOptionsWhere<StaffRow>,
  order: FindOptionsOrder<StaffRow> = { invitedAt: 'ASC', staffId: 'ASC' },
): Promise<StaffMember[]> {
  const rows: StaffMember[] = await orm('staff_find', (manager) => manager.find(STAFF, { where, order }));
  return encryption.decrypt(rows, FIELDS, ({ firmId, staffId }) => ({ firmId, key: staffId }));
}

const keysOf = (encryption: Encryption, email: string) => encryption.lookupKeys(PERSONAL.staff, email);

const findings = (orm: Orm, encryption: Encryption): Omit<StaffReads, 'firmsOf'> => ({
  ofFirm: (firmId) => findStaff(orm, encryption, { firmId }),
  find: async ({ firmId, staffId }) => first(await findStaff(orm, encryption, { firmId, staffId })),
});

export const pgStaffReads = (
  { reads, orm }: Pick<Database, 'reads' | 'orm'>,
  encryption: Encryption,
): StaffReads => ({
  ...findings(orm, encryption),
  firmsOf: async (email) => reads.rows(FIRMS_OF, [await keysOf(encryption, email)]),
});

export function pgStaff(executor: TransactionExecutor, encryption: Encryption): Staff {
  const reads = findings(executor.orm, encryption);
  const encryptor = ({ firmId, staffId }: StaffRef) => encryption.encryptor(PERSONAL.staff, firmId, staffId);
  return {
    ...reads,

    async lock(of) {
      executor.send(LOCK, [of.firmId, of.staffId]);
      return reads.find(of);
    },

    async findByEmail(email) {
      const where = { emailKey: In([...(await keysOf(encryption, email))]) };
      const order = { joinedAt: 'ASC', invitedAt: 'ASC', staffId: 'ASC' } as const;
      return findStaff(executor.orm, encryption, where, order);
    },

    async add(member) {
      const { firmId, staffId, name, email, role, invitedAt, joinedAt } = member;
      const [written, ...before] = await keysOf(encryption, email);
      // A member that was stored before encryption was on has another key.
      const where = { firmId, emailKey: In(before) };
      if (before.length > 0 && (await findStaff(executor.orm, encryption, where)).length > 0) return false;
      const encrypt = await encryptor(member);
      const personal = [encrypt('name', name), encrypt('email', email), written];
      const times = [timestamp(invitedAt), timestampOrNull(joinedAt)];
      return (await executor.rows(ADD, [firmId, staffId, ...personal, role, ...times])).length === 1;
    },

    async save(member) {
      const { firmId, staffId, name, role, joinedAt, lateOffersMailAt } = member;
      const encrypt = await encryptor(member);
      const changes = { name: encrypt('name', name), role, joinedAt, lateOffersMailAt };
      await executor.orm('staff_save', (manager) => manager.update(STAFF, { firmId, staffId }, changes));
    },

    async remove({ firmId, staffId }) {
      await executor.orm('staff_remove', (manager) => manager.delete(STAFF, { firmId, staffId }));
    },
  };
}
