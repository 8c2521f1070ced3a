/** An operator command that cannot be executed; the message is shown to the operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
