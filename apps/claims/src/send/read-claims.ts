import { isDeepStrictEqual } from 'node:util';
import { visit } from 'jsonc-parser';
import { decodeText } from '../input.ts';
import { isObject, parseJson } from '../json.ts';

/** A line of the input: a claim, or the reason why it is invalid. */
export type Line =
  | { readonly number: number; readonly claim: Readonly<Record<string, unknown>> }
  | { readonly number: number; readonly problem: string; readonly externalId?: string };

/** Reads one claim on any number of lines, or one claim per line. */
export function readClaims(input: Uint8Array): Line[] {
  const decoded = decodeText(input);
  if (decoded === null) return [{ number: 1, problem: 'the input is neither UTF-8 nor UTF-16' }];
  const { text } = decoded;
  const whole = parseJson(text);
  if (isObject(whole)) return [lineOf(firstLine(text), text, whole)];
  if (Array.isArray(whole)) {
    const problem = 'an array; send one claim per line instead, for example with jq -c ".[]"';
    return [{ number: 1, problem }];
  }

  if (whole === undefined && text.trim() !== '' && !text.includes('{'))
    return [{ number: 1, problem: 'not JSON; for CSV, use claims import' }];

  const lines: Line[] = [];
  const seen = new Map<string, { readonly number: number; readonly claim: object }>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const number = index + 1;
    const value = parseJson(line);
    if (!isObject(value)) {
      lines.push({
        number,
        problem: value === undefined ? `not JSON${columnOfError(line)}` : 'not a JSON object',
      });
      continue;
    }
    const read = lineOf(number, line, value);
    if ('problem' in read) {
      lines.push(read);
      continue;
    }
    const externalId = value.external_id;
    const before = typeof externalId === 'string' ? seen.get(externalId) : undefined;
    // Claims are sent concurrently, so it would be random which of the two is sent first.
    if (typeof externalId === 'string' && before !== undefined && !isDeepStrictEqual(before.claim, value)) {
      lines.push({
        number,
        externalId,
        problem: `same external_id as line ${before.number}, with different content`,
      });
      continue;
    }
    if (typeof externalId === 'string') seen.set(externalId, { number, claim: value });
    lines.push(read);
  }
  return lines;
}

/** The service rejects a duplicate member, of which JSON.parse keeps the last without a word. */
function lineOf(number: number, text: string, claim: Readonly<Record<string, unknown>>): Line {
  const objects: Set<string>[] = [];
  let duplicate: string | undefined;
  visit(text, {
    onObjectBegin: () => void objects.push(new Set()),
    onObjectEnd: () => void objects.pop(),
    onObjectProperty: (name) => {
      if (objects.at(-1)?.has(name)) duplicate ??= name;
      objects.at(-1)?.add(name);
    },
  });
  if (duplicate === undefined) return { number, claim };
  return { number, problem: `the member ${JSON.stringify(duplicate)} appears twice in one object` };
}

/** JSON.parse would quote the text around the error, which may contain personal data. */
function columnOfError(text: string): string {
  const offsets: number[] = [];
  visit(text, { onError: (_, offset) => void offsets.push(offset) }, { disallowComments: true });
  return offsets[0] === undefined ? '' : `, column ${offsets[0] + 1}`;
}

const firstLine = (text: string): number => text.slice(0, text.search(/\S/)).split('\n').length;
