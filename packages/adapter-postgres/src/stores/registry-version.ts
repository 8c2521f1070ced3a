import { sql, type TxSession } from '../driver/session.ts';

const BUMP = sql('registry_version_bump', 'UPDATE registry_version SET version = version + 1');

/** What a key may do has changed: in the same transaction, so that nobody sees the one without the other. */
export const registryChanged = (session: TxSession): void => session.send(BUMP, []);
