export type { RedisLog, RedisState } from './breaker.ts';
export { connectRedis, type RedisConnection, type RedisSettings } from './connect.ts';
export { type NodeReport, reportNodes } from './report-nodes.ts';
