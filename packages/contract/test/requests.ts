import { endpoints, type ParsedRequest, parseRequest, smallestClaim } from '../src/index.ts';

/** Serializes and parses, as for a request over HTTP. */
export const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

export const sendClaim = (body: unknown): ParsedRequest<typeof endpoints.sendClaim> =>
  parseRequest(endpoints.sendClaim, { headers: { 'idempotency-key': 'k' }, body });

export interface Located {
  readonly detail: string;
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

export const errorsOf = (result: { ok: boolean; errors?: readonly Located[] }): readonly Located[] =>
  result.ok ? [] : (result.errors ?? []);

export const pointersOf = (body: unknown): (string | undefined)[] =>
  errorsOf(sendClaim(body)).map(({ pointer }) => pointer);

/** The minimum claim with one value replaced at the pointer; undefined removes the field. */
export function claimWith(pointer: string, value: unknown): Record<string, unknown> {
  const claim: Record<string, unknown> = { ...structuredClone(smallestClaim) };
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let parent: Record<string, unknown> = claim;
  for (const name of names) {
    parent[name] ??= {};
    parent = parent[name] as Record<string, unknown>;
  }
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return claim;
}
