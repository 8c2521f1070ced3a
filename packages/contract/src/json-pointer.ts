/** RFC 6901: a segment escapes `~` and `/`. Unpaired surrogates become U+FFFD, since strict JSON parsers reject them. */
export function escapeSegment(segment: string): string {
  return segment
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('~', '~0')
    .replaceAll('/', '~1');
}

export function toPointer(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const segment of path) pointer += `/${escapeSegment(String(segment))}`;
  return pointer;
}

/** The value at a pointer, or undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  if (pointer === '') return value;
  for (const segment of pointer.slice(1).split('/')) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
