import { appEndpoints, routesOf, type SignInBody } from '@svc/contract';
import type { Api as ApiOf } from '@svc/web-app/api';
import {
  BROWSER_ROUTES,
  type BrowserCalls,
  type Call as CallAmong,
  type CallsOf,
} from '@svc/web-app/endpoints';

// The build puts the value in place of this module: it has no schemas.
export const ROUTES: Readonly<Record<string, string>> = {
  ...routesOf('/app/', appEndpoints),
  ...BROWSER_ROUTES,
  getPushKey: 'GET push-key 200 key',
};

interface PageCalls extends BrowserCalls<SignInBody> {
  getPushKey: { input: object; output: { readonly key: string } };
}
type AppCalls = CallsOf<typeof appEndpoints, PageCalls>;
export type CallId = keyof AppCalls;
export type Call = CallAmong<AppCalls>;
export type Api = ApiOf<Call>;
