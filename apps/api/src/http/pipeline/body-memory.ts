/** What one request holds of the memory for bodies. */
export interface HeldBytes {
  /** False when there is no room for that many more. */
  add(bytes: number): boolean;
  /** Gives back all of it; may be called again. */
  release(): void;
}

/** How many bytes of request bodies one process holds at a time, from their arrival to the response. */
const MAX_BYTES = 64 * 2 ** 20;

/** Accounts for the bodies of all requests under way, so that many large ones at once cannot exhaust the memory. */
export function createBodyMemory(maxBytes: number = MAX_BYTES): { hold(): HeldBytes } {
  let total = 0;
  return {
    hold() {
      let own = 0;
      return {
        add(bytes) {
          if (total + bytes > maxBytes) return false;
          total += bytes;
          own += bytes;
          return true;
        },
        release() {
          total -= own;
          own = 0;
        },
      };
    },
  };
}
