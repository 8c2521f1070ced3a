import { createMemoryRateLimiter } from '@svc/adapter-memory';
import {
  accountUseCases,
  type Clock,
  createApiKeyAuthenticator,
  createSessionAuthenticator,
} from '@svc/application';
import { createErrorReports } from '../http/adjuster-app/error-reports.ts';
import type { SessionLimiter } from '../http/pipeline/request-pipeline.ts';
import { accountRoutes } from '../http/routes/account-routes.ts';
import { appRoutes } from '../http/routes/app-routes.ts';
import { appPages } from '../http/static/app-pages.ts';

/** Who signs in, and the adjuster app. */
export const accounts = {
  services: {
    ...accountUseCases,
    apiKeyAuthenticator: createApiKeyAuthenticator,
    sessionAuthenticator: createSessionAuthenticator,
    reportAppError: createErrorReports,
  },
  routes: [accountRoutes, appRoutes],
  pages: [appPages],
};

/** In this process only: a session has few devices behind it, and each request would cost a round trip. */
export function createSessionLimiter(perMinute: number, clock: Clock): SessionLimiter {
  const limiter = createMemoryRateLimiter({ clock });
  const limits = {
    requestsPerMinute: perMinute,
    writesPerMinute: perMinute,
    burst: Math.max(1, Math.ceil(perMinute / 3)),
  };
  return async (sessionId) =>
    perMinute === 0 ? { allowed: true } : limiter.consume(sessionId, limits, { write: false });
}
