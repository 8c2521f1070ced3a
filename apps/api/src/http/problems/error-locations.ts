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
const MAX_DETAILS = 20;
const MAX_DETAIL_LENGTH = 300;

/**
 * A text of an error without what was sent: a name that the sender chose, or the value that was probably meant, may be personal
 * data. The hint is in the response alone.
 */
export const withoutValues = (detail: string): string =>
  detail
    .replace(/; did you mean .*$/s, '.')
    .replace(/(duplicate member): .*$/s, '$1.')
    .replace(/\b(named|starts with) "(?:[^"\\]|\\.)*"/g, '$1 *')
    .slice(0, MAX_DETAIL_LENGTH);

/**
 * The locations of validation errors, each once, for the request log, and what is wrong there. A name that is not part of the
 * interface was chosen by the sender and may be personal data, so it is logged as `*`.
 */
export function errorLocations(errors: readonly ProblemItem[] | undefined): {
  readonly places: readonly string[];
  readonly details: readonly string[];
} {
  const found = new Map<string, string>();
  for (const { detail, ...location } of (errors ?? []).slice(0, MAX_LOCATIONS)) {
    const place = placeOf(location);
    if (!found.has(place)) found.set(place, withoutValues(detail));
  }
  return { places: [...found.keys()], details: [...found.values()].slice(0, MAX_DETAILS) };
}

function placeOf({
  pointer,
  parameter,
  header,
}: Pick<ProblemItem, 'pointer' | 'parameter' | 'header'>): string {
  if (pointer !== undefined) {
    const parts = pointer.split('/').slice(1);
    return parts.map((part) => `/${knownNames().has(part) || /^\d{1,4}$/.test(part) ? part : '*'}`).join('');
  }
  const name = parameter ?? header ?? '';
  const shown = knownNames().has(name.toLowerCase()) ? name : '*';
  return parameter !== undefined ? `?${shown}` : `${shown}:`;
}
