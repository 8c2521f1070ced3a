export * from './history.ts';
export * from './linearizability.ts';
export * from './list-append.ts';
