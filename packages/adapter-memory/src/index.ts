export * from './edge-limiter.ts';
export { memoryClaimWrites } from './memory-claim-writes.ts';
export * from './memory-stores.ts';
export * from './rate-limiter.ts';
