import type { Page, PageRequest } from '@svc/application';
import { HttpProblem } from '../problems/http-problem.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import type { Reply } from './route.ts';

/** Where a list goes on; a cursor that was not written for this very list is a validation problem. */
export function pageRequest(
  query: { readonly limit: number; readonly cursor?: string | undefined },
  cursors: Cursors,
  scope: CursorScope,
): PageRequest {
  if (query.cursor === undefined) return { after: null, limit: query.limit };
  const after = cursors.read(query.cursor, scope);
  if (after !== null) return { after, limit: query.limit };
  const detail = 'This is not a next_cursor of this list with these filters.';
  throw new HttpProblem('validation_failed', { detail, errors: [{ detail, parameter: 'cursor' }] });
}

/** The page envelope, around items that are JSON text already. */
export function page<T>(
  slice: Page<T>,
  toJson: (row: T) => string,
  cursors: Cursors,
  scope: CursorScope,
): Reply {
  const next = slice.next === null ? 'null' : JSON.stringify(cursors.write(slice.next, scope));
  // Not joined: the engine keeps a sum of texts as it is, and copies all of it once, when it is sent.
  let data = '';
  for (const row of slice.rows) data += data === '' ? toJson(row) : `,${toJson(row)}`;
  return { status: 200, json: `{"data":[${data}],"next_cursor":${next}}` };
}
