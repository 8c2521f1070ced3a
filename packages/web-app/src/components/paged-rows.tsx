import type { ComponentChildren, JSX } from 'preact';
import type { PagedList } from '../paged-list.ts';
import { LoadMore } from './load-more.tsx';
import { WindowedList } from './windowed-list.tsx';

/** The rows that are chosen of a list that is read page by page. */
export function PagedRows<Row extends { readonly id: string }>(props: {
  readonly list: Pick<PagedList<unknown>, 'rows' | 'isReading' | 'hasMore' | 'failed' | 'more' | 'restart'>;
  readonly rows: readonly Row[] | undefined;
  readonly label: string;
  readonly row: (row: Row) => JSX.Element;
  /** Shown instead when there is no row. */
  readonly empty: ComponentChildren;
}) {
  const { list, rows = [], label, row, empty } = props;
  const isEmpty = list.rows.value !== undefined && rows.length === 0 && !list.hasMore.value;
  return (
    <>
      {isEmpty ? empty : <WindowedList items={rows} label={label} row={row} />}
      <LoadMore list={list} />
    </>
  );
}
