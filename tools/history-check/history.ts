/**
 * `ok`: the operation took effect and returned `result`. `fail`: it did not take effect. `info`: unknown; it may have
 * taken effect at any time after its invocation, or never.
 */
export const OUTCOMES = ['ok', 'fail', 'info'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One operation of one process. */
export interface HistoryEntry<Operation = unknown, Result = unknown> {
  readonly process: string | number;
  /** The object that the operation is on; histories are checked per object. */
  readonly key?: string;
  readonly operation: Operation;
  /** On one clock for all processes, in any unit. */
  readonly invocation: number;
  /** Null when the outcome is `info`. */
  readonly completion: number | null;
  readonly outcome: Outcome;
  /** What an `ok` operation returned. */
  readonly result?: Result;
}

/** JSON Lines: one entry per line. */
export const formatHistory = (entries: Iterable<HistoryEntry>): string =>
  [...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** Reads JSON Lines, and throws an error with the line number when a line is not an entry. */
export function parseHistory(text: string): HistoryEntry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const fail = (problem: string): never => {
      throw new Error(`line ${index + 1}: ${problem}`);
    };
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
    const problem = problemOf(entry);
    return problem === null ? [entry as HistoryEntry] : fail(problem);
  });
}

function problemOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'an entry is a JSON object';
  const { process, key, operation, invocation, completion, outcome } = value as Record<string, unknown>;
  if (typeof process !== 'string' && typeof process !== 'number') return 'process must be a string or number';
  if (key !== undefined && typeof key !== 'string') return 'key must be a string';
  if (operation === undefined) return 'operation is missing';
  if (typeof invocation !== 'number') return 'invocation must be a number';
  if (!OUTCOMES.some((allowed) => allowed === outcome)) return `outcome must be ${OUTCOMES.join(', ')}`;
  if (outcome === 'info') return completion === null ? null : 'completion must be null when outcome is info';
  if (typeof completion !== 'number') return `completion must be a number when outcome is ${outcome}`;
  return completion < invocation ? 'completion is before invocation' : null;
}
