import { appUseCases, createApiKeyAuthenticator, createSessionAuthenticator } from '@svc/application';
import { createErrorReports } from '../http/adjuster-app/error-reports.ts';
import { accountRoutes } from '../http/routes/account-routes.ts';
import { appRoutes } from '../http/routes/app-routes.ts';
import { appPages } from '../http/static/app-pages.ts';

/** Who signs in, and the adjuster app. */
export const accounts = {
  services: {
    apiKeyAuthenticator: createApiKeyAuthenticator,
    sessionAuthenticator: createSessionAuthenticator,
    appUseCases,
    reportAppError: createErrorReports,
  },
  routes: [accountRoutes, appRoutes],
  pages: [appPages],
};
