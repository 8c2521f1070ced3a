import type { Request, Response } from 'express';
import type { RequestTrace } from '../request-log.ts';

/** What is served besides operations: a page and its files, a document, live updates. */
export interface PageRoute {
  readonly caller: 'page';
  readonly endpoint: { readonly method: 'GET'; readonly path: string };
  /** Has no end, so there is no HEAD. */
  readonly isStream: boolean;
  /** Whether there is something at a path whose rest is the value of a parameter. */
  readonly has: (path: string) => boolean;
  readonly serve: (request: Request, response: Response, trace: RequestTrace) => Promise<void>;
}

export const pageRoute = (
  path: string,
  serve: PageRoute['serve'],
  { isStream = false, has = () => true }: Partial<Pick<PageRoute, 'isStream' | 'has'>> = {},
): PageRoute => ({ caller: 'page', endpoint: { method: 'GET', path }, isStream, has, serve });
