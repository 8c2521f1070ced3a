import { HttpProblem } from '../problems/http-problem.ts';
import type { Route } from './route.ts';

export interface MatchedRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

interface Segment {
  readonly fixed: Map<string, Segment>;
  /** Any other segment is the value of a parameter. */
  param?: Segment;
  /** The operations of a path that ends here, by method. */
  readonly operations: Map<string, { readonly route: Route; readonly params: readonly string[] }>;
}

const newSegment = (): Segment => ({ fixed: new Map(), operations: new Map() });

/**
 * Finds operations by method and path, case-sensitively; HEAD is GET without the body, which node omits. A fixed segment has
 * precedence over a parameter.
 *
 * @returns a function that returns null for an unknown path, and a problem for a method that the path does not support or
 * a parameter that cannot be decoded.
 */
export function createMatcher(
  routes: readonly Route[],
): (method: string, path: string) => MatchedRoute | HttpProblem | null {
  const root = newSegment();
  for (const route of routes) {
    const params: string[] = [];
    let at = root;
    for (const text of route.endpoint.path.split('/')) {
      const name = /^\{(\w+)\}$/.exec(text)?.[1];
      const next = (name === undefined ? at.fixed.get(text) : at.param) ?? newSegment();
      if (name === undefined) at.fixed.set(text, next);
      else {
        params.push(name);
        at.param = next;
      }
      at = next;
    }
    at.operations.set(route.endpoint.method, { route, params });
  }
  return (method, path) => {
    let at = root;
    const values: string[] = [];
    for (const text of path.split('/')) {
      let next = at.fixed.get(text);
      if (next === undefined && text !== '') {
        next = at.param;
        values.push(text);
      }
      if (next === undefined) return null;
      at = next;
    }
    if (at.operations.size === 0) return null;
    const params: Record<string, string> = {};
    const found = at.operations.get(method === 'HEAD' ? 'GET' : method);
    for (const [index, value] of values.entries()) {
      const decoded = decode(value);
      if (decoded === null) return undecodable();
      const name = found?.params[index];
      if (name !== undefined) params[name] = decoded;
    }
    return found === undefined ? notAllowed([...at.operations.keys()]) : { route: found.route, params };
  };
}

/** Null for an invalid percent-escape. */
function decode(value: string): string | null {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}

const undecodable = (): HttpProblem =>
  new HttpProblem('malformed_request', { detail: 'The path has a percent-escape that cannot be decoded.' });

function notAllowed(methods: readonly string[]): HttpProblem {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', ');
  return new HttpProblem('method_not_allowed', {
    detail: `This path supports ${allow} only.`,
    headers: { Allow: allow },
  });
}
