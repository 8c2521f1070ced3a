/** Rejected before any check; the same attempt may be made again after `retryAfterMs`. */
export class TooManyAttempts extends Error {
  override readonly name = 'TooManyAttempts';
  constructor(
    readonly retryAfterMs: number,
    message = 'Too many sign-in attempts.',
  ) {
    super(message);
  }
}
