import { createPagedList, type Page, type PagedList } from '@svc/web-app/paged-list';
import { useState } from 'preact/hooks';
import { request, showError } from '../app.ts';

/** The list of a screen. `read` is that of the first rendering. */
export function useList<Row extends { readonly id: string }>(
  rows: number,
  read: (query: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<Row>>,
): PagedList<Row> {
  const [list] = useState(() =>
    createPagedList<Row>({
      read: (cursor) => request(() => read({ limit: rows, cursor })),
      idOf: ({ id }) => id,
      enough: rows,
      onError: showError,
    }),
  );
  return list;
}
