import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { KeyValue } from '@svc/web-app/choices';

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

function parsed(text: string | undefined): Preferences {
  let sent: Partial<Preferences> = {};
  try {
    sent = JSON.parse(text ?? '{}');
  } catch {}
  return {
    scheme: SCHEMES.find((one) => one === sent.scheme) ?? DEFAULTS.scheme,
    undoSeconds: UNDO_SECONDS.find((one) => one === sent.undoSeconds) ?? DEFAULTS.undoSeconds,
  };
}

export function createPreferences(choices: KeyValue, isStored: ReadonlySignal<boolean>) {
  const chosen = signal(parsed(choices.read(STORAGE_KEY)));
  return {
    /** Where the browser stores nothing, an answer that is held would be lost with the page, so it is sent at once. */
    preferences: computed<Preferences>(() =>
      isStored.value ? chosen.value : { ...chosen.value, undoSeconds: 0 },
    ),
    prefer(changes: Partial<Preferences>): void {
      chosen.value = { ...chosen.value, ...changes };
      choices.write(STORAGE_KEY, JSON.stringify(chosen.value));
    },
  };
}
