import { LIMITS } from '@svc/contract';
import { createCountsPerSecond, createUsage } from './usage.ts';

/** The share of the body memory that one request holds. */
export interface HeldBytes {
  /** Counts what is added against this caller as well; call it before `add`. */
  setCaller(caller: string): void;
  /** Returns false when a limit would be exceeded. */
  add(bytes: number): boolean;
  /** Counts small chunks of the body. Returns false when the caller has sent too many within a second. */
  addChunks(count: number): boolean;
  /** Releases all of it; idempotent. */
  release(): void;
}

interface BodyMemoryLimits {
  /** Request bodies held by one process at a time, from arrival to response. */
  readonly totalBytes: number;
  /** The part of the total that only small bodies may use, so that large ones cannot block a claim of average size. */
  readonly reservedForSmallBytes: number;
  readonly smallBodyBytes: number;
  /** For all bodies of one caller, so that one caller cannot keep the others out. */
  readonly perCallerBytes: number;
  /** Each takes 1 µs. */
  readonly smallChunksPerSecond: number;
}

const DEFAULT_LIMITS: BodyMemoryLimits = {
  totalBytes: 96 * 2 ** 20,
  reservedForSmallBytes: 32 * 2 ** 20,
  smallBodyBytes: 64 * 2 ** 10,
  perCallerBytes: 24 * 2 ** 20,
  smallChunksPerSecond: 2 * LIMITS.smallChunks,
};

/** Tracks the bodies of all requests in flight, so that they cannot exhaust the memory. */
export function createBodyMemory(
  limits: BodyMemoryLimits = DEFAULT_LIMITS,
  now = (): number => performance.now(),
): { hold(): HeldBytes } {
  const usage = createUsage<string>();
  const chunksOf = createCountsPerSecond(now);
  return {
    hold() {
      let caller = '';
      let heldBytes = 0;
      return {
        setCaller(name) {
          caller = name;
        },
        add(bytes) {
          const isSmall = heldBytes + bytes <= limits.smallBodyBytes;
          const available = limits.totalBytes - (isSmall ? 0 : limits.reservedForSmallBytes);
          if (usage.total() + bytes > available || usage.of(caller) + bytes > limits.perCallerBytes)
            return false;
          usage.add(caller, bytes);
          heldBytes += bytes;
          return true;
        },
        addChunks: (count) => chunksOf(caller, count) <= limits.smallChunksPerSecond,
        release() {
          usage.add(caller, -heldBytes);
          heldBytes = 0;
        },
      };
    },
  };
}
