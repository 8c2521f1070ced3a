/** What a line of the input holds: a claim, or the reason why it holds none. */
export type Line =
  | { readonly number: number; readonly claim: Readonly<Record<string, unknown>> }
  | { readonly number: number; readonly fault: string; readonly externalId?: string };

/** One claim, spread over as many lines as it likes, or one claim a line. */
export function readClaims(input: Uint8Array): Line[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    return [{ number: 1, fault: 'the input is not UTF-8 text' }];
  }
  const whole = parsed(text);
  if (isClaim(whole)) return [{ number: firstLine(text), claim: whole }];
  if (Array.isArray(whole)) {
    return [{ number: 1, fault: 'an array; send one claim a line instead, as jq -c ".[]" prints them' }];
  }

  if (whole === undefined && text.trim() !== '' && !text.includes('{')) {
    return [
      { number: 1, fault: 'not JSON; the documentation of the command line shows how to turn CSV into it' },
    ];
  }

  const lines: Line[] = [];
  const seen = new Map<string, { readonly number: number; readonly content: string }>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const number = index + 1;
    const value = parsed(line);
    if (!isClaim(value)) {
      lines.push({ number, fault: value === undefined ? 'not JSON' : 'not a JSON object' });
      continue;
    }
    const externalId = value.external_id;
    const before = typeof externalId === 'string' ? seen.get(externalId) : undefined;
    // Several claims are under way at a time: which of the two came first would be left to chance.
    if (typeof externalId === 'string' && before !== undefined && before.content !== line.trim()) {
      lines.push({
        number,
        externalId,
        fault: `another claim than line ${before.number}, under the same external_id`,
      });
      continue;
    }
    if (typeof externalId === 'string') seen.set(externalId, { number, content: line.trim() });
    lines.push({ number, claim: value });
  }
  return lines;
}

const firstLine = (text: string): number => text.slice(0, text.search(/\S/)).split('\n').length;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isClaim = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
