import { signal } from '@preact/signals';
import type { KeyValue } from './choices.ts';

/** A choice of a few values, the first until another is chosen, which the browser keeps. */
export function createChoice<Value extends string>(
  choices: KeyValue,
  key: string,
  options: readonly [Value, ...Value[]],
) {
  const stored = choices.read(key);
  const choice = signal<Value>(options.find((one) => one === stored) ?? options[0]);
  return {
    choice,
    choose(next: Value): void {
      choice.value = next;
      choices.write(key, next);
    },
  };
}
