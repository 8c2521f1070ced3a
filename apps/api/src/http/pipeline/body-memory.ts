/** The share of the body memory that one request holds. */
export interface HeldBytes {
  /** Returns false when the limit would be exceeded. */
  add(bytes: number): boolean;
  /** Releases all of it; idempotent. */
  release(): void;
}

/** Request bodies held by one process at a time, from arrival to response. */
const MAX_BYTES = 64 * 2 ** 20;

/** Tracks the bodies of all requests in flight, so that many large ones cannot exhaust the memory. */
export function createBodyMemory(maxBytes: number = MAX_BYTES): { hold(): HeldBytes } {
  let totalBytes = 0;
  return {
    hold() {
      let heldBytes = 0;
      return {
        add(bytes) {
          if (totalBytes + bytes > maxBytes) return false;
          totalBytes += bytes;
          heldBytes += bytes;
          return true;
        },
        release() {
          totalBytes -= heldBytes;
          heldBytes = 0;
        },
      };
    },
  };
}
