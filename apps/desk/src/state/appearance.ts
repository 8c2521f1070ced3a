import { signal } from '@preact/signals';
import type { KeyValue } from '@svc/web-app/choices';

export const SCHEMES = ['device', 'light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

const STORAGE_KEY = 'desk-scheme';

/** The colors, which are kept in the browser. */
export function createScheme(choices: KeyValue) {
  const stored = choices.read(STORAGE_KEY);
  const scheme = signal<Scheme>(SCHEMES.find((one) => one === stored) ?? 'device');
  return {
    scheme,
    chooseScheme(next: Scheme): void {
      scheme.value = next;
      choices.write(STORAGE_KEY, next);
    },
  };
}
