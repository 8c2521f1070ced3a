import { computed, signal } from '@preact/signals';

type Route =
  | { readonly screen: 'offers' }
  | { readonly screen: 'claims'; readonly closed: boolean }
  | { readonly screen: 'claim'; readonly id: string }
  | { readonly screen: 'invitation'; readonly firmId: string }
  | { readonly screen: (typeof PLAIN_SCREENS)[number] };

const PLAIN_SCREENS = ['map', 'history', 'firms', 'settings', 'help'] as const;

interface ReturnPosition {
  /** The hash of the item that was open. */
  readonly item: string;
  /** Undefined when the item was opened from another list. */
  readonly scrollY: number | undefined;
}

/** The list of offers is opened with and without a hash. */
const normalized = (text: string): string => (text === '' || text === '#' ? '#/' : text);
const isItem = (to: string): boolean => /^#\/(claims|invitations)\/(?!closed$)./.test(to);

// Routes are in the hash, so that claim ids do not appear in access logs.
function routeOf(hash: string): Route {
  const [screen = '', rest] = hash.replace(/^#\/?/, '').split('/');
  if (screen === 'claims' && rest === 'closed') return { screen: 'claims', closed: true };
  if (screen === 'claims' && rest !== undefined) return { screen: 'claim', id: rest };
  if (screen === 'claims') return { screen: 'claims', closed: false };
  if (screen === 'invitations' && rest !== undefined) return { screen: 'invitation', firmId: rest };
  return { screen: PLAIN_SCREENS.find((one) => one === screen) ?? 'offers' };
}

export type Navigation = ReturnType<typeof createNavigation>;

/** What it uses of a window. */
export interface Browsing {
  readonly location: { hash: string; replace(to: string): void };
  readonly history: { scrollRestoration: ScrollRestoration };
  readonly scrollY: number;
  addEventListener(kind: 'hashchange', listener: () => void): void;
}

export function createNavigation(browser: Browsing) {
  const hash = signal(normalized(browser.location.hash));
  /** The list that the current item was opened from. */
  let leftList: { readonly hash: string; readonly scrollY: number } | null = null;
  let returning: ReturnPosition | null = null;

  // Browsers restore the scroll position before the list is rendered, so the page does it.
  browser.history.scrollRestoration = 'manual';
  browser.addEventListener('hashchange', () => {
    const [from, to] = [hash.value, normalized(browser.location.hash)];
    if (isItem(to)) {
      if (!isItem(from)) leftList = { hash: from, scrollY: browser.scrollY };
    } else {
      returning = isItem(from)
        ? { item: from, scrollY: leftList?.hash === to ? leftList.scrollY : undefined }
        : null;
      leftList = null;
    }
    hash.value = to;
  });

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
    },
    /** Replaces the current screen in the browser's history. */
    replaceScreen: (to: string): void => browser.location.replace(to),
  };
}
