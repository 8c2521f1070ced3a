export { connectRedis, type RedisConnection, type RedisSettings } from './connect.ts';
export { reportNodes } from './report-nodes.ts';
