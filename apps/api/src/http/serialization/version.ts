import { createHash } from 'node:crypto';

const VERSION_LENGTH = 16;

/** Equal for equal content. */
export const versionOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, VERSION_LENGTH);
