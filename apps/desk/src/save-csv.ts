import { BYTE_ORDER_MARK } from '@svc/csv-import/in-page';
import { saveFile } from '@svc/web-app/save-file';

/** For spreadsheets. */
export const saveCsv = (csv: string | Blob, name: string): void =>
  saveFile(new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv' }), name);
