import { sql, type TransactionExecutor } from '../driver/executor.ts';

const INCREMENT = sql('registry_version_increment', 'UPDATE registry_version SET version = version + 1');

/** Invalidates cached API keys, in the transaction that changes what a key may do. */
export const registryChanged = (executor: TransactionExecutor): void => executor.send(INCREMENT, []);
