export { FAULT_KINDS } from '@svc/domain/vocabulary';
export { SANDBOX_COMMANDS, type SandboxCommand } from './commands.ts';
export { eventClaim } from './event-claims.ts';
export { DEFAULT_REHEARSAL, type RehearsalOptions, rehearse, SCRIPT, UnfitKeyError } from './rehearse.ts';
