import { computed, signal } from '@preact/signals';

type Route =
  | { readonly screen: 'offers' }
  | { readonly screen: 'claims'; readonly closed: boolean }
  | { readonly screen: 'claim'; readonly id: string }
  | { readonly screen: 'invitation'; readonly firmId: string }
  | { readonly screen: 'map' }
  | { readonly screen: 'history' }
  | { readonly screen: 'firms' }
  | { readonly screen: 'settings' };

const hash = signal(location.hash);
/** The list of offers is opened with and without a hash. */
const normalized = (text: string): string => (text === '' || text === '#' ? '#/' : text);
export const currentHash = computed(() => normalized(hash.value));

interface ReturnPosition {
  /** The hash of the item that was open. */
  readonly item: string;
  /** Undefined when the item was opened from another list. */
  readonly scrollY: number | undefined;
}

const position = {
  /** The list that the current item was opened from. */
  leftList: null as { readonly hash: string; readonly scrollY: number } | null,
  returning: null as ReturnPosition | null,
};

const isItem = (to: string): boolean => /^#\/(claims|invitations)\/(?!closed$)./.test(to);

// Browsers restore the scroll position before the list is rendered, so the page does it.
history.scrollRestoration = 'manual';
addEventListener('hashchange', () => {
  const [from, to] = [normalized(hash.value), normalized(location.hash)];
  if (isItem(to)) {
    if (!isItem(from)) position.leftList = { hash: from, scrollY };
  } else {
    const { leftList } = position;
    position.returning = isItem(from)
      ? { item: from, scrollY: leftList?.hash === to ? leftList.scrollY : undefined }
      : null;
    position.leftList = null;
  }
  hash.value = to;
});

/** The item that was open before this list. */
export const returnItem = (): string | undefined => position.returning?.item;

/** Where to return to in a list; null after the first call, so that rendering it again does not scroll. */
export function takeReturnPosition(): ReturnPosition | null {
  const taken = isItem(hash.value) ? null : position.returning;
  position.returning = null;
  return taken;
}

// Routes are in the hash, so that claim ids do not appear in access logs.
export const route = computed<Route>(() => {
  const [screen = '', rest] = hash.value.replace(/^#\/?/, '').split('/');
  if (screen === 'claims' && rest === 'closed') return { screen: 'claims', closed: true };
  if (screen === 'claims' && rest !== undefined) return { screen: 'claim', id: rest };
  if (screen === 'claims') return { screen: 'claims', closed: false };
  if (screen === 'invitations' && rest !== undefined) return { screen: 'invitation', firmId: rest };
  if (screen === 'firms' || screen === 'settings' || screen === 'map' || screen === 'history')
    return { screen };
  return { screen: 'offers' };
});

export function go(to: string): void {
  location.hash = to;
}

/** Replaces the current screen in the browser's history. */
export function replaceScreen(to: string): void {
  location.replace(to);
}
