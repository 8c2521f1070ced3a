/** The same request can be sent again later. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  constructor(
    /** `connection`: there is no network. `timeout`: no response. `service`: the service responded with 429 or 5xx. */
    readonly reason: 'connection' | 'timeout' | 'service' = 'connection',
    readonly retryAfterMs?: number,
  ) {
    super(reason);
  }
}

/** An error response of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly code: string,
    /** The fields of the body that are invalid. */
    readonly fields: readonly string[] = [],
    /** What is wrong with the first of them, or else what is wrong, in English. */
    readonly reason = '',
  ) {
    super(code);
  }
}

/** The session is over, or a passkey must verify it: after that, the same request can be sent again. */
export const needsSignIn = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 401 || error.code === 'passkey_required');

/** The service does not accept the request, now or later. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && !needsSignIn(error);
