import { appEndpoints } from './app-endpoints.ts';
import { deskEndpoints } from './desk/index.ts';
import { firmEndpoints, sandboxEndpoints } from './endpoints.ts';

/** All operations of the service. */
export const endpoints = {
  ...firmEndpoints,
  ...sandboxEndpoints,
  ...appEndpoints,
  ...deskEndpoints,
} as const;
export type EndpointId = keyof typeof endpoints;
