import { DatabaseError } from '../driver/errors.ts';
import { first, type Session, sql } from '../driver/session.ts';
import type { ServiceSecret } from '../schema/migrate.ts';

const FIND = sql('service_secrets_find', 'SELECT value FROM service_secrets WHERE name = $1');

/** A secret the service made for itself when its schema was made; the same for all processes. */
export async function serviceSecret(session: Session, name: ServiceSecret): Promise<Buffer> {
  const found = first(await session.rows<{ value: Buffer }>(FIND, [name]));
  if (found === null) throw new DatabaseError(`The schema holds no secret named ${name}.`);
  return found.value;
}
