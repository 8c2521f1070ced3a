/** The operator asked for something that cannot be done; the message says what and why. */
export class OperatorError extends Error {
  override readonly name = 'OperatorRefusal';
}
