// What runs on other transactions too, for the simulator, in which those of several processes interleave.

export { groupedClaimWrites } from './claims/claim-writes.ts';
export { MAX_TOGETHER, type WhenLocked, type WriteTransaction } from './claims/groups.ts';
export { ConcurrencyConflict } from './driver/errors.ts';
export { repeatOnConflict } from './driver/transaction.ts';
export type { ClaimStatements, Decided } from './firm-statements.ts';
