import { type Browsing, createNavigation, type Navigation as Navigating } from '@svc/web-app/navigation';

type Route =
  | { readonly screen: 'offers' }
  | { readonly screen: 'claims'; readonly closed: boolean }
  | { readonly screen: 'claim'; readonly id: string }
  | { readonly screen: 'invitation'; readonly firmId: string }
  | { readonly screen: (typeof PLAIN_SCREENS)[number] };

const PLAIN_SCREENS = ['map', 'history', 'firms', 'settings', 'credentials', 'help'] as const;

export type Navigation = Navigating<Route>;

const isItem = (to: string): boolean => /^#\/(claims|invitations)\/(?!closed$)./.test(to);

function routeOf(hash: string): Route {
  const [screen = '', rest] = hash.replace(/^#\/?/, '').split('/');
  if (screen === 'claims' && rest === 'closed') return { screen: 'claims', closed: true };
  if (screen === 'claims' && rest !== undefined) return { screen: 'claim', id: rest };
  if (screen === 'claims') return { screen: 'claims', closed: false };
  if (screen === 'invitations' && rest !== undefined) return { screen: 'invitation', firmId: rest };
  return { screen: PLAIN_SCREENS.find((one) => one === screen) ?? 'offers' };
}

export const createAppNavigation = (browser: Browsing): Navigation =>
  createNavigation(browser, routeOf, isItem);
