import { openApiDocument, type ProblemItem } from '@svc/contract';

let names: ReadonlySet<string> | undefined;

/** The names of all fields, parameters and headers in the interface documents. */
function knownNames(): ReadonlySet<string> {
  if (names !== undefined) return names;
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, name, in: location } = value as Record<string, unknown>;
    if (typeof properties === 'object' && properties !== null) {
      for (const property of Object.keys(properties)) found.add(property);
    }
    if (typeof name === 'string' && typeof location === 'string') found.add(name.toLowerCase());
    for (const inner of Object.values(value)) walk(inner);
  };
  const addresses = { baseUrl: '', docsUrl: '', version: '', supportEmail: '' };
  walk(openApiDocument(addresses));
  walk(openApiDocument(addresses, { api: 'app' }));
  names = found;
  return found;
}

const MAX_LOCATIONS = 50;

/**
 * The locations of validation errors, each once, for the request log. A name that is not part of the interface was chosen
 * by the sender and may be personal data, so it is logged as `*`.
 */
export function errorLocations(errors: readonly ProblemItem[] | undefined): readonly string[] {
  const locations = (errors ?? []).slice(0, MAX_LOCATIONS).map(({ pointer, parameter, header }) => {
    if (pointer !== undefined) {
      const parts = pointer.split('/').slice(1);
      return parts
        .map((part) => `/${knownNames().has(part) || /^\d{1,4}$/.test(part) ? part : '*'}`)
        .join('');
    }
    const name = parameter ?? header ?? '';
    const shown = knownNames().has(name.toLowerCase()) ? name : '*';
    return parameter !== undefined ? `?${shown}` : `${shown}:`;
  });
  return [...new Set(locations)];
}
