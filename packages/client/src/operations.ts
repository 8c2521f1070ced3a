import { OPERATIONS, type OperationId } from './generated.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  /** Requires no key. */
  readonly open?: true;
  readonly idempotencyKey?: true;
}

export const operationOf = (id: OperationId): Operation => OPERATIONS[id];

/** The path with its parameters filled in. */
export function pathOf(id: OperationId, params: Readonly<Record<string, string>>): string {
  return operationOf(id).path.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, params[name]));
}

/** Rejects an empty or dot segment: URL normalization, even of encoded dots, would make it another operation's path. */
function pathSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`${name} must not be ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}
