import type { NextPiece, Page, PageRequest } from '@svc/application';
import { LIMITS } from '@svc/contract';
import type { FirmId } from '@svc/domain';
import { HttpProblem } from '../problems/http-problem.ts';
import { type AsciiJson, asciiJson } from '../serialization/ascii-json.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import type { RouteResponse } from './route.ts';

/** In the cursors of the desk's lists: all staff of the firm read the same. */
export const deskReader = (firmId: FirmId): string => `${firmId}/desk`;

/** The requested page. A cursor from another list or with other filters is a validation error. */
export function pageRequest(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  cursors: Cursors,
  scope: CursorScope,
  maxBytes: number = LIMITS.page.bytes,
): PageRequest {
  if (cursor === undefined) return { after: null, limit, maxBytes };
  const after = cursors.read(cursor, scope);
  if (after !== null) return { after, limit, maxBytes };
  const detail = 'Must be a next_cursor of this list, used with the same filters.';
  throw new HttpProblem('validation_failed', { detail, errors: [{ detail, parameter: 'cursor' }] });
}

/** Of JSON: takes some milliseconds where a row is parsed and completed. */
const PIECE_BYTES = 128 * 2 ** 10;

/**
 * Before a long page is read: many at once would add up, and of those whose client has gone, the rows need not be read.
 */
export async function turnForPage({ limit }: PageRequest, nextPiece: NextPiece): Promise<void> {
  if (limit > LIMITS.page.default) await nextPiece();
}

/** The page with its rows as JSON, for rows that take long. */
export async function withJsonRows<T>(
  { rows, next }: Page<T>,
  toJson: (row: T) => AsciiJson,
  nextPiece: NextPiece,
): Promise<Page<AsciiJson>> {
  const texts: AsciiJson[] = [];
  let bytes = 0;
  // Many large pages at once would add up before any of them takes turns.
  if (rows.length > LIMITS.page.default) await nextPiece();
  for (const row of rows) {
    if (bytes >= PIECE_BYTES) {
      await nextPiece();
      bytes = 0;
    }
    const text = toJson(row);
    texts.push(text);
    bytes += text.length;
  }
  return { rows: texts, next };
}

/** The page envelope, around items that are already JSON text. */
export function page<T>(
  result: Page<T>,
  toJson: (row: T) => AsciiJson,
  cursors: Cursors,
  scope: CursorScope,
  /** Further fields. */
  more: object = {},
): RouteResponse {
  const next_cursor = result.next === null ? null : cursors.write(result.next, scope);
  // Concatenated, not joined: V8 then copies the text only once, when it is sent, which saves 20 µs of a page.
  let data = '';
  for (const row of result.rows) data += data === '' ? toJson(row) : `,${toJson(row)}`;
  const json = `{"data":[${data}],${asciiJson({ next_cursor, ...more }).slice(1)}`;
  return { status: 200, json: json as AsciiJson };
}
