import { effect, signal } from '@preact/signals';

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

export const preferences = signal<Preferences>(stored());

export function prefer(changes: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...changes };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(preferences.value));
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
