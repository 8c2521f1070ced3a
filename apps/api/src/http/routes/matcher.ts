import { HttpProblem } from '../problems/http-problem.ts';

/** What is served at a method and a path. */
interface Served {
  readonly endpoint: { readonly method: string; readonly path: string };
  readonly isStream?: boolean;
  readonly has?: (path: string) => boolean;
}

export interface Matched<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

interface Segment<R> {
  readonly fixed: Map<string, Segment<R>>;
  /** Any other segment is the value of a parameter. */
  param?: Segment<R>;
  /** Any other segment, with all that follow it. */
  rest?: Segment<R>;
  /** What is served at a path that ends here, by method. */
  readonly methods: Map<string, { readonly route: R; readonly params: readonly string[] }>;
}

const newSegment = <R>(): Segment<R> => ({ fixed: new Map(), methods: new Map() });

/**
 * Finds what is served by method and path, case-sensitively; HEAD is GET without the body, which node omits. A fixed segment
 * has precedence over a parameter, `{id}`, and that over the rest of the path, `{+path}`.
 *
 * @returns a function that returns null for an unknown path, and a problem for a method that the path does not support or
 * a parameter that cannot be decoded.
 */
export function createMatcher<R extends Served>(
  routes: readonly R[],
): (method: string, path: string) => Matched<R> | HttpProblem | null {
  const root = newSegment<R>();
  for (const route of routes) {
    const params: string[] = [];
    let at = root;
    for (const text of route.endpoint.path.split('/')) {
      const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(text) ?? [];
      const next =
        (name === undefined ? at.fixed.get(text) : plus === '' ? at.param : at.rest) ?? newSegment<R>();
      if (name === undefined) at.fixed.set(text, next);
      else if (plus === '') {
        params.push(name);
        at.param = next;
      } else at.rest = next;
      at = next;
    }
    at.methods.set(route.endpoint.method, { route, params });
    if (route.endpoint.method === 'GET' && route.isStream !== true) at.methods.set('HEAD', { route, params });
  }
  return (method, path) => {
    let at = root;
    const values: string[] = [];
    for (const text of path.split('/')) {
      let next = at.fixed.get(text);
      if (next === undefined && text !== '' && at.param !== undefined) {
        next = at.param;
        values.push(text);
      }
      if (next === undefined) {
        const { rest } = at;
        if (rest?.methods.get('GET')?.route.has?.(path) !== true) return null;
        at = rest;
        break;
      }
      at = next;
    }
    if (at.methods.size === 0) return null;
    const params: Record<string, string> = {};
    const found = at.methods.get(method);
    for (const [index, value] of values.entries()) {
      const decoded = decode(value);
      if (decoded === null) return undecodable();
      const name = found?.params[index];
      if (name !== undefined) params[name] = decoded;
    }
    return found === undefined ? notAllowed([...at.methods.keys()]) : { route: found.route, params };
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
  const allow = methods.join(', ');
  return new HttpProblem('method_not_allowed', {
    detail: `This path supports ${allow} only.`,
    headers: { Allow: allow },
  });
}
