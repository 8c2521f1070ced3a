// What the stores consist of, for the simulator, in which transactions of several processes interleave.

export { appendEvent } from './memory-audit.ts';
export { memoryFirmReads, memoryJobReads } from './memory-reads.ts';
export { type MemoryTx, type MemoryUnitOfWork, memoryTx } from './memory-tx.ts';
export { createDatabase, type Database, keyOf, type Tables, UniqueViolation } from './tables.ts';
