import { useState } from 'preact/hooks';

/** Chooses, and then shows the value of now: where the choice was refused, it is the former one. */
export function useChoosing<Value>(choose: (value: Value) => unknown): (value: Value) => Promise<unknown> {
  const [, showAgain] = useState({});
  return (value) => Promise.resolve(choose(value)).finally(() => showAgain({}));
}
