import { HttpProblem, type ProblemAddresses } from './http-problem.ts';

/** Longer paths are not compared, and not repeated in a response. */
const MAX_PATH_LENGTH = 300;

/**
 * Finds the path that a wrong one surely stands for: without a trailing or double slash, with the missing `/v1`, or in
 * lowercase. Null if no operation has it.
 *
 * @param templates paths with parameters in braces.
 */
export function createIntendedPath(templates: readonly string[]): (path: string) => string | null {
  const patterns = templates
    .filter((path) => path.startsWith('/v1/'))
    .map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));
  const isKnown = (path: string): boolean => patterns.some((pattern) => pattern.test(path));
  return (path) => {
    if (path.length > MAX_PATH_LENGTH) return null;
    const trimmed = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
    const candidates = [
      trimmed,
      `/v1${trimmed}`,
      trimmed.replace(/^\/(api|v1\/v1)(?=\/)/, '/v1'),
      `/v1${trimmed.replace(/^\/api\/v1(?=\/)/, '')}`,
    ];
    return [...candidates, ...candidates.map((one) => one.toLowerCase())].find(isKnown) ?? null;
  };
}

/** The problem of a path at which nothing is served. */
export const unknownPath = ({ docsUrl }: ProblemAddresses, intended: string | null = null): HttpProblem =>
  new HttpProblem('not_found', {
    detail: `This path is not part of the interface.${intended === null ? '' : ` Did you mean ${intended}?`} The documentation is at ${docsUrl}.`,
  });
