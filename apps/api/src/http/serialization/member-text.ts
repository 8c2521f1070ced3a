const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const FLAT = `\\{(?:[^{}"]|${STRING})*\\}`;
/** An object whose members may be objects, and no deeper: what a claim has. */
const OBJECT = `\\{(?:[^{}"]|${STRING}|${FLAT})*\\}`;

/** Where a member's value stands in a JSON text. */
interface MemberText {
  readonly begin: number;
  readonly end: number;
}

/**
 * Finds the one member of this name in a JSON text without blanks, whose value is an object. Inside strings a quote has
 * a backslash before it, so `"name":{` can be nothing else than a member; the name must stand but once among all
 * objects of the text.
 */
export function objectMember(name: string): (json: string) => MemberText | null {
  const key = `"${name}":`;
  const value = new RegExp(OBJECT, 'y');
  return (json) => {
    const at = json.indexOf(`${key}{`);
    if (at === -1) return null;
    value.lastIndex = at + key.length;
    return value.test(json) ? { begin: at + key.length, end: value.lastIndex } : null;
  };
}
