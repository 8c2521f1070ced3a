/** The result of a call and the response that it came in. */
export interface ApiResponse<Result> {
  readonly data: Result;
  readonly status: number;
  /** Include it when you contact support. */
  readonly requestId: string | null;
  /** Whether the service returned the result of an earlier request (`Idempotent-Replayed`). */
  readonly replayed: boolean;
  readonly headers: Headers;
}

/** The promise of a call. */
export interface ApiPromise<Result> extends Promise<Result> {
  /** Resolves with the result and the response that it came in; sends no further request. */
  withResponse(): Promise<ApiResponse<Result>>;
}

export function apiPromise<Result>(response: Promise<ApiResponse<Result>>): ApiPromise<Result> {
  const result = response.then(({ data }) => data);
  return Object.assign(result, {
    withResponse() {
      // The error is that of the promise returned here; the other one must not be reported as unhandled.
      result.catch(() => {});
      return response.then((whole) => whole);
    },
  });
}
