import { computed, signal } from '@preact/signals';

type Route =
  | { readonly screen: 'offers' }
  | { readonly screen: 'claims'; readonly closed: boolean }
  | { readonly screen: 'claim'; readonly id: string }
  | { readonly screen: 'invitation'; readonly firmId: string }
  | { readonly screen: 'firms' }
  | { readonly screen: 'settings' };

const hash = signal(location.hash);

/** Where to put the reader who comes back to a list: scrolled as it was, on the item that was opened. */
interface Place {
  readonly list: string;
  readonly scrollY: number;
}
let leftList: Place | null = null;
let returning: { readonly scrollY: number | undefined; readonly item: string } | null = null;

const isItem = (to: string): boolean => /^#\/(claims|invitations)\/(?!closed$)./.test(to);

// The page restores the position itself: a browser does it before the list is drawn.
history.scrollRestoration = 'manual';
addEventListener('hashchange', () => {
  const [from, to] = [hash.value, location.hash];
  if (isItem(to)) {
    if (!isItem(from)) leftList = { list: from, scrollY };
  } else {
    returning = isItem(from)
      ? { item: from, scrollY: leftList?.list === to ? leftList.scrollY : undefined }
      : null;
    leftList = null;
  }
  hash.value = to;
});

/** Where a list was left for one of its items; only once, so that drawing the list again does not scroll it. */
export function takeReturning(): typeof returning {
  const taken = isItem(hash.value) ? null : returning;
  returning = null;
  return taken;
}

// Behind the hash: which claim somebody looks at is in no log on the way.
export const route = computed<Route>(() => {
  const [screen = '', rest] = hash.value.replace(/^#\/?/, '').split('/');
  if (screen === 'claims' && rest === 'closed') return { screen: 'claims', closed: true };
  if (screen === 'claims' && rest !== undefined) return { screen: 'claim', id: rest };
  if (screen === 'claims') return { screen: 'claims', closed: false };
  if (screen === 'invitations' && rest !== undefined) return { screen: 'invitation', firmId: rest };
  if (screen === 'firms' || screen === 'settings') return { screen };
  return { screen: 'offers' };
});

export function go(to: string): void {
  location.hash = to;
}

/** Takes the place of the current screen, so that going back does not lead to it. */
export function goInstead(to: string): void {
  location.replace(to);
}
