// For tools and tests that run the service, or what the operator does, in their own process.
export { readConfig } from './config.ts';
export { TOKENS, type Wiring } from './container/tokens.ts';
export { migrateDatabase, wire } from './container/wire.ts';
export { createDemo, walkThrough } from './demo.ts';
export { createLog } from './logging.ts';
