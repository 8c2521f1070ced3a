const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const FLAT = `\\{(?:[^{}"]|${STRING})*\\}`;
/** An object with at most one level of nested objects, as in a claim. */
const OBJECT = `\\{(?:[^{}"]|${STRING}|${FLAT})*\\}`;

/** The range of a member's value in a JSON text. */
interface MemberText {
  readonly begin: number;
  readonly end: number;
}

/**
 * Finds the member of this name, whose value is an object, in a JSON text without white space. Quotes inside strings are
 * escaped, so `"name":{` is always a member. The name must be unique among all objects of the text.
 */
export function objectMember(name: string): (json: string) => MemberText | null {
  const key = `"${name}":`;
  const value = new RegExp(OBJECT, 'y');
  return (json) => {
    const start = json.indexOf(`${key}{`);
    if (start === -1) return null;
    value.lastIndex = start + key.length;
    return value.test(json) ? { begin: start + key.length, end: value.lastIndex } : null;
  };
}
