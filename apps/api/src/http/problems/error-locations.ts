import { openApiDocument, type ProblemItem } from '@svc/contract';

let names: ReadonlySet<string> | undefined;

/** Every name that a field, a parameter or a header has in the interface. */
function known(): ReadonlySet<string> {
  if (names !== undefined) return names;
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, name, in: place } = value as Record<string, unknown>;
    if (typeof properties === 'object' && properties !== null) {
      for (const property of Object.keys(properties)) found.add(property);
    }
    if (typeof name === 'string' && typeof place === 'string') found.add(name.toLowerCase());
    for (const inner of Object.values(value)) walk(inner);
  };
  walk(openApiDocument({ baseUrl: '', docsUrl: '', version: '' }));
  names = found;
  return found;
}

/** A request with more mistakes than this is not told apart by the further ones. */
const MOST = 50;

/**
 * Where a refused request was wrong, for the log. A name that the interface does not know came from the sender and may
 * be anything, somebody's name included, so it shows as a star.
 */
export function errorLocations(errors: readonly ProblemItem[] | undefined): readonly string[] {
  return (errors ?? []).slice(0, MOST).map(({ pointer, parameter, header }) => {
    if (pointer !== undefined) {
      const parts = pointer.split('/').slice(1);
      return parts.map((part) => `/${known().has(part) || /^\d{1,4}$/.test(part) ? part : '*'}`).join('');
    }
    const name = parameter ?? header ?? '';
    const shown = known().has(name.toLowerCase()) ? name : '*';
    return parameter !== undefined ? `?${shown}` : `${shown}:`;
  });
}
