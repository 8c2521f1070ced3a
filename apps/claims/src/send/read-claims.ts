/** A line of the input: a claim, or the reason why it is invalid. */
export type Line =
  | { readonly number: number; readonly claim: Readonly<Record<string, unknown>> }
  | { readonly number: number; readonly problem: string; readonly externalId?: string };

/** Reads one claim on any number of lines, or one claim per line. */
export function readClaims(input: Uint8Array): Line[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    return [{ number: 1, problem: 'the input is not UTF-8' }];
  }
  const whole = parseJson(text);
  if (isClaim(whole)) return [{ number: firstLine(text), claim: whole }];
  if (Array.isArray(whole)) {
    return [
      { number: 1, problem: 'an array; send one claim per line instead, for example with jq -c ".[]"' },
    ];
  }

  if (whole === undefined && text.trim() !== '' && !text.includes('{')) {
    return [{ number: 1, problem: 'not JSON; the command line guide shows how to convert CSV' }];
  }

  const lines: Line[] = [];
  const seen = new Map<string, { readonly number: number; readonly content: string }>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const number = index + 1;
    const value = parseJson(line);
    if (!isClaim(value)) {
      lines.push({ number, problem: value === undefined ? 'not JSON' : 'not a JSON object' });
      continue;
    }
    const externalId = value.external_id;
    const before = typeof externalId === 'string' ? seen.get(externalId) : undefined;
    // Claims are sent concurrently, so it would be random which of the two is sent first.
    if (typeof externalId === 'string' && before !== undefined && before.content !== line.trim()) {
      lines.push({
        number,
        externalId,
        problem: `same external_id as line ${before.number}, with different content`,
      });
      continue;
    }
    if (typeof externalId === 'string') seen.set(externalId, { number, content: line.trim() });
    lines.push({ number, claim: value });
  }
  return lines;
}

const firstLine = (text: string): number => text.slice(0, text.search(/\S/)).split('\n').length;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isClaim = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
