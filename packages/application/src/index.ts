export * from './ports/jobs.ts';
export * from './ports/limits.ts';
export * from './ports/reads.ts';
export * from './ports/support.ts';
export * from './ports/twins.ts';
export * from './ports/unit-of-work.ts';
