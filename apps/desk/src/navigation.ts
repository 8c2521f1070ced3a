import { type Browsing, createNavigation, type Navigation as Navigating } from '@svc/web-app/navigation';
import type { Permission } from './endpoints.ts';

/** The screens of the menu, in order, each for those who have its permission. */
export const SCREENS = {
  board: 'claims:read',
  adjusters: 'adjusters:read',
  map: 'claims:read',
  upload: 'imports:write',
  reports: 'reports:read',
  keys: 'keys:read',
  requests: 'requests:read',
  sandbox: 'sandbox:write',
  webhooks: 'webhooks:read',
  readiness: 'readiness:read',
  audit: 'audit:read',
  people: 'staff:read',
  settings: null,
} as const satisfies Readonly<Record<string, Permission | null>>;
export type Screen = keyof typeof SCREENS;
const isScreen = (name: string): name is Screen => Object.hasOwn(SCREENS, name);

/** `id`: what the screen is about, such as one request of the list. */
export type Route =
  | { readonly screen: Screen; readonly id?: string }
  | { readonly screen: 'claim'; readonly id: string };
export type Navigation = Navigating<Route>;

function routeOf(hash: string): Route {
  const [screen = '', id = ''] = hash.replace(/^#\/?|\?.*$/g, '').split('/');
  if (screen === 'claims' && id !== '') return { screen: 'claim', id };
  return { screen: isScreen(screen) ? screen : 'board', ...(id !== '' && { id }) };
}

export const createDeskNavigation = (browser: Browsing): Navigation =>
  createNavigation(browser, routeOf, (hash) => hash.startsWith('#/claims/'));
