import { ClaimsApiError } from './errors.ts';
import type { Hooks } from './transport.ts';

const LEVELS = ['off', 'warn', 'info', 'debug'] as const;

/** `warn`: retries. `info`: also responses. `debug`: also requests. */
export type LogLevel = (typeof LEVELS)[number];

/** Writes to the console, without URLs, bodies and details of errors, which may contain personal data. */
export function logHooks(level: LogLevel = 'off'): Hooks {
  const rank = LEVELS.indexOf(level);
  if (rank < 0)
    throw new TypeError(`logLevel must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(level)}`);
  return {
    onRetry:
      rank < 1
        ? undefined
        : ({ operation, attempt, delayMs, error }) => {
            const cause =
              error instanceof ClaimsApiError ? (error.code ?? `status ${error.status}`) : error.message;
            console.warn(`claims: ${operation} failed (attempt ${attempt}): ${cause}; waiting ${delayMs} ms`);
          },
    onResponse:
      rank < 2
        ? undefined
        : ({ operation, status, requestId, replayed, durationMs }) =>
            console.info(
              `claims: ${operation} ${status}${replayed ? ' (replayed)' : ''} in ${durationMs} ms, request ${requestId}`,
            ),
    onRequest:
      rank < 3
        ? undefined
        : ({ operation, attempt }) => console.debug(`claims: ${operation} (attempt ${attempt})`),
  };
}
