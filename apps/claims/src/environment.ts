/** Where text goes; a stream of the process is one. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** What the command line finds around itself. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Aborted when the user wants to stop. */
  readonly signal: AbortSignal;
  now(): number;
  /** The platform's own unless told. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Something the user has to put right before it makes sense to try again. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
