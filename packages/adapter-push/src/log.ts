/** Never log an address, a payload, or a code that was mailed. */
export interface PushLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Only the code of an error is logged: its text can contain an address. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown');
