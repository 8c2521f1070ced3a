export * from './suites/rate-limiter.ts';
export * from './suites/twins.ts';
