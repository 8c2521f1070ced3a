/**
 * Applies a response with `updated_since` to a known list: `ids` are all items that are in the list now, `changed` those
 * that changed. Undefined when an item of `ids` is in neither, so that the list has to be read whole.
 */
export function applyChanges<Item extends { readonly id: string }>(
  known: readonly Item[],
  changed: readonly Item[],
  ids: readonly string[],
): readonly Item[] | undefined {
  const byId = new Map([...known, ...changed].map((item) => [item.id, item]));
  const items = ids.flatMap((id) => byId.get(id) ?? []);
  if (items.length !== ids.length) return undefined;
  const same = items.length === known.length && items.every((item, at) => item === known[at]);
  return same ? known : items;
}

/** Items of the former list that are no longer in the new one. */
export function removedFrom<Item extends { readonly id: string }>(
  before: readonly Item[],
  after: readonly Item[],
): Item[] {
  const ids = new Set(after.map(({ id }) => id));
  return before.filter(({ id }) => !ids.has(id));
}
