export { DATE_ORDERS, DELIMITER_NAMES } from '@svc/contract';
export * from './columns.ts';
export {
  decode,
  ENCODINGS,
  type Encoding,
  isWorkbook,
  markedEncoding,
  UncertainEncoding,
  UnreadableCsv,
} from './decode.ts';
export * from './fields.ts';
export * from './import-csv.ts';
export * from './read-csv.ts';
export * from './read-workbook.ts';
export * from './steps.ts';
export * from './write-csv.ts';
