import { useState } from 'preact/hooks';

/** What is shown of a choice: the latest one while `choose` runs, and then the value, which is the former one after a refusal. */
export function useChoosing<Value>(
  value: Value,
  choose: (value: Value) => unknown,
): [shown: Value, choose: (value: Value) => Promise<void>] {
  const [chosen, setChosen] = useState<{ readonly value?: Value }>({});
  const run = async (next: Value): Promise<void> => {
    const latest = { value: next };
    setChosen(latest);
    try {
      await choose(next);
    } finally {
      setChosen((now) => (now === latest ? {} : now));
    }
  };
  return [chosen.value ?? value, run];
}
