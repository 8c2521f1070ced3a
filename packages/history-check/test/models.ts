import type { Model } from '../src/index.ts';

export type RegisterOperation =
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly value: number }
  | { readonly type: 'cas'; readonly from: number; readonly to: number };

/** A register; `cas` returns whether it changed the value. */
export const register = (initial: number): Model<number, RegisterOperation, number | boolean | null> => ({
  init: () => initial,
  step(value, operation, result) {
    if (operation.type === 'write') return [operation.value];
    if (operation.type === 'read') return result === undefined || result === value ? [value] : [];
    const succeeds = value === operation.from;
    if (result !== undefined && result !== succeeds) return [];
    return [succeeds ? operation.to : value];
  },
});

export type QueueOperation =
  | { readonly type: 'enqueue'; readonly value: string }
  | { readonly type: 'dequeue' };

/** A first-in-first-out queue; the state is its content, first element first. */
export const queue: Model<readonly string[], QueueOperation, string | null> = {
  init: () => [],
  step(state, operation, result) {
    if (operation.type === 'enqueue') return [[...state, operation.value]];
    const [first, ...rest] = state;
    if (first === undefined) return [];
    return result === undefined || result === first ? [rest] : [];
  },
};
