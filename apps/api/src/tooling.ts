// For tools and tests that run the service, or what the operator does, in their own process.
export { readConfig } from './config.ts';
export { TOKENS, type Wiring } from './composition/tokens.ts';
export { migrateDatabase, wire } from './composition/compose.ts';
export { createDemo, walkThrough } from './demo.ts';
export { createLog } from './logging.ts';
