// For tools and tests that run the service, or what the operator does, in their own process.
export { readConfig } from './config.ts';
export { TOKENS, type Services } from './composition/tokens.ts';
export { migrateDatabase, compose } from './composition/compose.ts';
export { createDemo, walkThrough } from './demo.ts';
export { createLog } from './logging.ts';
