import { computed, signal } from '@preact/signals';

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
  readonly location: { hash: string; replace(to: string): void };
  readonly history: { scrollRestoration: ScrollRestoration };
  readonly scrollY: number;
  addEventListener(kind: 'hashchange', listener: () => void): void;
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
  const hash = signal(normalized(browser.location.hash));
  /** The list that the current item was opened from. */
  let leftList: { readonly hash: string; readonly scrollY: number } | null = null;
  let returning: ReturnPosition | null = null;

  // Browsers restore the scroll position before the list is rendered, so the page does it.
  browser.history.scrollRestoration = 'manual';
  const follow = (): void => {
    const next = normalized(browser.location.hash);
    const [from, to] = [pathOf(hash.value), pathOf(next)];
    if (isItem(to)) {
      if (!isItem(from)) leftList = { hash: from, scrollY: browser.scrollY };
    } else if (from !== to) {
      returning = isItem(from)
        ? { item: from, scrollY: leftList?.hash === to ? leftList.scrollY : undefined }
        : null;
      leftList = null;
    }
    hash.value = next;
  };
  browser.addEventListener('hashchange', follow);

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
      browser.location.hash = to;
      follow();
    },
    /** Replaces the current screen in the browser's history. */
    replaceScreen(to: string): void {
      browser.location.replace(to);
      follow();
    },
  };
}
