export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Absent if the response has no body. */
  readonly response?: unknown;
}
