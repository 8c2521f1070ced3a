import { ClaimsApiError } from './errors.ts';
import type { Hooks, RequestEvent } from './transport.ts';

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
        : ({ delayMs, error, ...request }) => {
            const cause =
              error instanceof ClaimsApiError
                ? `${error.code ?? `status ${error.status}`}, request ${error.requestId}`
                : error.message;
            console.warn(`${nameOf(request)} failed: ${cause}; waiting ${Math.ceil(delayMs)} ms`);
          },
    onResponse:
      rank < 2
        ? undefined
        : ({ operation, status, requestId, replayed, durationMs }) =>
            console.info(
              `claims: ${operation} ${status}${replayed ? ' (replayed)' : ''} in ${durationMs} ms, request ${requestId}`,
            ),
    onRequest: rank < 3 ? undefined : (request) => console.debug(nameOf(request)),
  };
}

/** The key tells calls apart. The URL may contain an SVCID, which has the adjuster's name. */
const nameOf = ({ operation, attempt, idempotencyKey }: Omit<RequestEvent, 'url'>): string =>
  `claims: ${operation} (attempt ${attempt}${idempotencyKey === undefined ? '' : `, key ${idempotencyKey}`})`;
