import { computed, effect, signal } from '@preact/signals';
import { isStored } from './stored.ts';

export const SCHEMES = ['device', 'light', 'dark', 'sunlight'] as const;
export type Scheme = (typeof SCHEMES)[number];
export const UNDO_SECONDS = [0, 5, 10, 20] as const;

/** Choices for this device. */
export interface Preferences {
  readonly scheme: Scheme;
  /** How long an answer can be taken back before it is sent. */
  readonly undoSeconds: (typeof UNDO_SECONDS)[number];
}

const STORAGE_KEY = 'preferences';
const DEFAULTS: Preferences = { scheme: 'device', undoSeconds: 5 };

function stored(): Preferences {
  try {
    const { scheme, undoSeconds } = JSON.parse(
      localStorage.getItem(STORAGE_KEY) ?? '{}',
    ) as Partial<Preferences>;
    return {
      scheme: SCHEMES.find((one) => one === scheme) ?? DEFAULTS.scheme,
      undoSeconds: UNDO_SECONDS.find((one) => one === undoSeconds) ?? DEFAULTS.undoSeconds,
    };
  } catch {
    return DEFAULTS;
  }
}

const chosen = signal<Preferences>(stored());

/** Where the browser stores nothing, an answer that is held would be lost with the page, so it is sent at once. */
export const preferences = computed<Preferences>(() =>
  isStored.value ? chosen.value : { ...chosen.value, undoSeconds: 0 },
);

export function prefer(changes: Partial<Preferences>): void {
  chosen.value = { ...chosen.value, ...changes };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(chosen.value));
  } catch {}
}

const darkDevice = matchMedia('(prefers-color-scheme: dark)');
const isDark = signal(darkDevice.matches);
darkDevice.addEventListener('change', ({ matches }) => {
  isDark.value = matches;
});

effect(() => {
  const { scheme } = preferences.value;
  document.documentElement.dataset.scheme = scheme === 'device' ? (isDark.value ? 'dark' : 'light') : scheme;
});
