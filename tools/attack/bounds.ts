/** Processor time of one request without a credential. */
export const MAX_CPU_MS = 5;
export const MAX_RESPONSE_BYTES = 20_000;
/** The service holds 128 MB of unread responses and 96 MB of bodies; the rest is the memory of a busy process. */
export const MAX_GROWTH_BYTES = 350 * 2 ** 20;
