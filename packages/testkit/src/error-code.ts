/** Code of the DomainError that `work` rejects with, which must have a text; throws when it succeeds or fails otherwise. */
export async function errorCodeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    const isDomainError = error instanceof Error && 'code' in error && error.name === 'DomainError';
    if (isDomainError && /^\w.{10,}\.$/.test(error.message)) return String(error.code);
    throw error;
  }
  throw new Error('expected a DomainError');
}
