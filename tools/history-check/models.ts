import type { Model } from './linearizability.ts';

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

export type SetOperation = { readonly type: 'add'; readonly value: number } | { readonly type: 'read' };

/** A set; a read returns its elements in ascending order. */
export const set: Model<readonly number[], SetOperation, readonly number[] | null> = {
  init: () => [],
  step(state, operation, result) {
    if (operation.type === 'add') return [[...new Set([...state, operation.value])].sort((a, b) => a - b)];
    return result === undefined || String(result) === String(state) ? [state] : [];
  },
};

export type TextOperation =
  | { readonly type: 'get' }
  | { readonly type: 'put' | 'append'; readonly value: string };

/** A value of a key-value store that can be appended to. */
export const text: Model<string, TextOperation, string | null> = {
  init: () => '',
  step(state, operation, result) {
    if (operation.type === 'get') return result === undefined || result === state ? [state] : [];
    return [operation.type === 'put' ? operation.value : state + operation.value];
  },
};
