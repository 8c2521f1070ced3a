export { FAULT_KINDS } from '@svc/domain/vocabulary';
export { SANDBOX_COMMANDS } from './commands.ts';
export { eventClaim } from './event-claims.ts';
export { DEFAULT_REHEARSAL, rehearse, SCRIPT, UnfitKeyError } from './rehearse.ts';
