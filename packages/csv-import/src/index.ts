export * from './columns.ts';
export * from './fields.ts';
export * from './import-csv.ts';
export * from './read-csv.ts';
