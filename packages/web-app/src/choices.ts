/** Where small choices are kept that the first rendering needs; undefined where the browser stores nothing. */
export interface KeyValue {
  read(key: string): string | undefined;
  write(key: string, text: string): void;
}

/** Where the browser stores nothing for this page, it throws. */
const storedIn = (storage: () => Storage): KeyValue => ({
  read(key) {
    try {
      return storage().getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write(key, text) {
    try {
      storage().setItem(key, text);
    } catch {}
  },
});

export const browserChoices = storedIn(() => localStorage);
/** Until the tab is closed. */
export const tabChoices = storedIn(() => sessionStorage);
