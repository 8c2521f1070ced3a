/** An output stream of the process, or a replacement in tests. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Everything the command line uses from its process; replaceable in tests. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  now(): number;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Wrong usage: the user must correct the command, the configuration or the input. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
