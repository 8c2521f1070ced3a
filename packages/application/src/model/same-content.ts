/** Whether two values of plain data are equal. The order of keys does not count; a key with undefined is a missing one. */
export function isSameContent(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSameContent(Reflect.get(one, key), Reflect.get(other, key)));
}
