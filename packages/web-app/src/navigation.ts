import { computed, signal } from '@preact/signals';
import { openDialogs } from './open-dialogs.ts';

interface ReturnPosition {
  /** The hash of the item that was open. */
  readonly item: string;
  /** Undefined when the item was opened from another list. */
  readonly scrollY: number | undefined;
}

/** Without the filters of a screen. */
const pathOf = (hash: string): string => hash.split('?')[0] ?? hash;

/** The first screen is opened with and without a hash. */
const normalized = (text: string): string => (text === '' || text === '#' ? '#/' : text);

export type Navigation<Route> = ReturnType<typeof createNavigation<Route>>;

/** What it uses of a window. */
export interface Browsing {
  readonly location: { hash: string };
  readonly history: Pick<History, 'scrollRestoration' | 'state' | 'replaceState' | 'go'>;
  readonly scrollY: number;
  addEventListener(kind: 'hashchange' | 'popstate', listener: () => void): void;
}

/**
 * Routes are in the hash, so that ids do not appear in access logs.
 * @param isItem whether a hash shows an item of a list
 */
export function createNavigation<Route>(
  browser: Browsing,
  routeOf: (hash: string) => Route,
  isItem: (hash: string) => boolean,
) {
  const { history, location } = browser;
  const hash = signal(normalized(location.hash));
  /** Of the current entry of the browser's history, which keeps it: Back and Forward lead to one that has a number. */
  let position = Number(history.state ?? 0);
  /** The list that the current item was opened from. */
  let leftList: { readonly hash: string; readonly scrollY: number } | null = null;
  let returning: ReturnPosition | null = null;

  // Browsers restore the scroll position before the list is rendered, so the page does it.
  history.scrollRestoration = 'manual';
  history.replaceState(position, '');
  const numberNewEntry = (): void => {
    if (history.state !== null) return;
    // A link to the screen that is shown replaces its entry.
    if (normalized(location.hash) !== hash.value) position += 1;
    history.replaceState(position, '');
  };
  const follow = (): void => {
    numberNewEntry();
    const close = openDialogs.peek().at(-1)?.close;
    if (history.state !== position && close !== undefined) {
      // The screen behind the dialog stays.
      history.go(position - history.state);
      close();
      return;
    }
    position = history.state;
    const next = normalized(location.hash);
    const [from, to] = [pathOf(hash.value), pathOf(next)];
    if (isItem(to)) {
      if (!isItem(from)) leftList = { hash: from, scrollY: browser.scrollY };
    } else if (from !== to) {
      returning = isItem(from)
        ? { item: from, scrollY: leftList?.hash === to ? leftList.scrollY : undefined }
        : null;
    }
    hash.value = next;
  };
  browser.addEventListener('hashchange', follow);
  browser.addEventListener('popstate', numberNewEntry);

  return {
    currentHash: computed(() => hash.value),
    route: computed(() => routeOf(hash.value)),
    /** The item that was open before this list. */
    returnItem: (): string | undefined => returning?.item,
    /** Where to return to in a list; null after the first call, so that rendering it again does not scroll. */
    takeReturnPosition(): ReturnPosition | null {
      const taken = isItem(hash.value) ? null : returning;
      returning = null;
      return taken;
    },
    go(to: string): void {
      location.hash = to;
      follow();
    },
    /** Replaces the current screen in the browser's history. */
    replaceScreen(to: string): void {
      history.replaceState(position, '', to);
      follow();
    },
  };
}
