import { computed, signal } from '@preact/signals';

type Route =
  | { readonly screen: 'offers' }
  | { readonly screen: 'claims'; readonly closed: boolean }
  | { readonly screen: 'claim'; readonly id: string }
  | { readonly screen: 'invitation'; readonly firmId: string }
  | { readonly screen: 'firms' }
  | { readonly screen: 'settings' };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

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
