import { tlsProblem } from '@svc/application';

/** Never log an address, a payload, or a code that was emailed. */
export interface PushLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** The code of an error, and what is wrong with TLS where that is the cause. */
export const mailErrorFields = (error: unknown): Record<string, string> => {
  const problem = tlsProblem(error);
  return {
    error_code: codeOf(error),
    ...(problem !== null && { reason: `could not connect to the mail server: ${problem}` }),
  };
};

/** Only the code of an error is logged: its text can contain an address. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown');

/** For an operator who is at the terminal: with the server's response, such as a rejected login. */
export const reasonOf = (error: unknown): string =>
  tlsProblem(error) ?? (error instanceof Error ? error.message : String(error));
