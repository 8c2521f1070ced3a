/** Where the adapter reports. Never an address, a payload or a code that was mailed. */
export interface PushLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** What a log may say of an error: its text can quote an address. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown');
