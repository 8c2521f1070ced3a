import { UniqueViolation } from '@svc/adapter-memory/parts';

export type LockMode = 'shared' | 'exclusive';

interface Waiting {
  readonly key: string;
  readonly mode: LockMode;
  readonly wake: () => void;
}

/** Row locks that are held until a transaction ends. A request that completes a cycle of waits throws UniqueViolation. */
interface RowLocks {
  /** @param wake called when a lock that the transaction waits for was released; it then requests it again. */
  acquire(owner: object, key: string, mode: LockMode, wake: () => void): boolean;
  /** Whether `acquire` would not wait. */
  isFree(owner: object, key: string, mode: LockMode): boolean;
  release(owner: object): void;
}

export function createRowLocks(): RowLocks {
  const held = new Map<string, Map<object, LockMode>>();
  const waiting = new Map<object, Waiting>();

  const blockers = (owner: object, key: string, mode: LockMode): object[] =>
    [...(held.get(key) ?? [])].flatMap(([holder, heldMode]) =>
      holder !== owner && (mode === 'exclusive' || heldMode === 'exclusive') ? [holder] : [],
    );
  const waitsFor = (from: object, owner: object, seen: Set<object>): boolean => {
    const request = waiting.get(from);
    if (from === owner || seen.has(from) || request === undefined) return from === owner;
    seen.add(from);
    return blockers(from, request.key, request.mode).some((each) => waitsFor(each, owner, seen));
  };

  return {
    acquire(owner, key, mode, wake) {
      waiting.delete(owner);
      const others = blockers(owner, key, mode);
      if (others.length > 0) {
        if (others.some((each) => waitsFor(each, owner, new Set())))
          throw new UniqueViolation(`deadlock on ${key}`);
        waiting.set(owner, { key, mode, wake });
        return false;
      }
      const holders = held.get(key) ?? new Map<object, LockMode>();
      held.set(key, holders.set(owner, holders.get(owner) === 'exclusive' ? 'exclusive' : mode));
      return true;
    },
    isFree: (owner, key, mode) => blockers(owner, key, mode).length === 0,
    release(owner) {
      waiting.delete(owner);
      for (const [key, holders] of held) {
        holders.delete(owner);
        if (holders.size === 0) held.delete(key);
      }
      for (const { wake } of [...waiting.values()]) wake();
    },
  };
}
