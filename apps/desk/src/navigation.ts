import { type Browsing, createNavigation, type Navigation as Navigating } from '@svc/web-app/navigation';

export const SCREENS = [
  'board',
  'adjusters',
  'map',
  'upload',
  'reports',
  'keys',
  'requests',
  'webhooks',
  'readiness',
  'audit',
  'people',
  'settings',
] as const;
export type Screen = (typeof SCREENS)[number];
/** `id`: what the screen is about, such as one request of the list. */
export type Route =
  | { readonly screen: Screen; readonly id?: string }
  | { readonly screen: 'claim'; readonly id: string };
export type Navigation = Navigating<Route>;

function routeOf(hash: string): Route {
  const [screen = '', id = ''] = hash.replace(/^#\/?/, '').split('/');
  if (screen === 'claims' && id !== '') return { screen: 'claim', id };
  return { screen: SCREENS.find((one) => one === screen) ?? 'board', ...(id !== '' && { id }) };
}

export const createDeskNavigation = (browser: Browsing): Navigation =>
  createNavigation(browser, routeOf, (hash) => hash.startsWith('#/claims/'));
