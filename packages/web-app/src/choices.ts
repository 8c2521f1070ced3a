/** Where small choices are kept that the first rendering needs; undefined where the browser stores nothing. */
export interface KeyValue {
  read(key: string): string | undefined;
  write(key: string, text: string): void;
}

/** Where the browser stores nothing for this page, it throws. */
export const browserChoices: KeyValue = {
  read(key) {
    try {
      return localStorage.getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write(key, text) {
    try {
      localStorage.setItem(key, text);
    } catch {}
  },
};
