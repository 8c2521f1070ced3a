import { sql, type TxSession } from '../driver/session.ts';

const INCREMENT = sql('registry_version_increment', 'UPDATE registry_version SET version = version + 1');

/** Invalidates cached API keys, in the transaction that changes what a key may do. */
export const registryChanged = (session: TxSession): void => session.send(INCREMENT, []);
