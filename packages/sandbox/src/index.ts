export { FAULT_KINDS, SANDBOX_COMMANDS, type SandboxCommand } from './commands.ts';
export { eventClaim } from './event-claims.ts';
export { type RehearsalOptions, rehearse, UnfitKeyError } from './rehearse.ts';
