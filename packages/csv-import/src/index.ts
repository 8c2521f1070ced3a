export { DATE_ORDERS, DELIMITER_NAMES } from '@svc/contract';
export * from './columns.ts';
export { ENCODINGS, type Encoding, markedEncoding, UnreadableCsv } from './decode.ts';
export * from './fields.ts';
export * from './import-csv.ts';
export * from './read-csv.ts';
export * from './send-claim-rules.ts';
export * from './write-csv.ts';
