import type { ProblemAddresses } from '../problems/http-problem.ts';
import { type PageRoute, pageRoute } from '../routes/page-route.ts';
import { pageFiles } from './page-files.ts';

const permissionsPolicy = (geolocation: string): string =>
  `camera=(), geolocation=(${geolocation}), microphone=(), payment=()`;

/** The adjuster app with its push key, and the firm's desk. */
export const appPages = (
  {
    addresses,
    pushKey,
  }: {
    readonly addresses: ProblemAddresses;
    /** The VAPID public key, with which browsers subscribe to push messages. */
    readonly pushKey: () => string;
  },
  filesOf = pageFiles,
): PageRoute[] => [
  ...filesOf(
    { package: '@svc/adjuster', path: '/app', permissionsPolicy: permissionsPolicy('self') },
    addresses,
  ),
  pageRoute('/app/push-key', async (_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ key: pushKey() }));
  }),
  ...filesOf({ package: '@svc/desk', path: '/firm', permissionsPolicy: permissionsPolicy('') }, addresses),
];
