// For tools and tests that run the service or the operator's commands in their own process.

export { compose } from './composition/compose.ts';
export type { Services } from './composition/container.ts';
export { migrateDatabase } from './composition/database.ts';
export { readConfig } from './config.ts';
export { createDemo, walkThrough } from './demo.ts';
export { asciiJson } from './http/serialization/ascii-json.ts';
export { createLog } from './logging.ts';
