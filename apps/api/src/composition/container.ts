import 'reflect-metadata';
import {
  appUseCases,
  boardUseCases,
  createApiKeyAuthenticator,
  createSessionAuthenticator,
  createWebhookDeliveries,
  createWriteBuffer,
  deskImportUseCases,
  deskUseCases,
  firmUseCases,
  invalidatingSessions,
  makeRunJob,
  operatorUseCases,
  webhookUseCases,
} from '@svc/application';
import { Container, ContainerModule } from 'inversify';
import { createErrorReports } from '../http/adjuster-app/error-reports.ts';
import { docsPages } from '../http/docs/pages.ts';
import { eventStreams } from '../http/event-streams.ts';
import { createHttpApplication } from '../http/http-application.ts';
import { createRejectionPace } from '../http/limits/rejection-pace.ts';
import { createLiveUpdates } from '../http/live-updates.ts';
import { mcpRoute } from '../http/mcp/mcp-route.ts';
import { jwksPage } from '../http/receipts/jwks-page.ts';
import { accountRoutes } from '../http/routes/account-routes.ts';
import { appRoutes } from '../http/routes/app-routes.ts';
import { deskAuditRoutes } from '../http/routes/desk-audit.ts';
import { deskBoardRoutes } from '../http/routes/desk-board.ts';
import { deskDeveloperRoutes } from '../http/routes/desk-developers.ts';
import { deskImportRoutes } from '../http/routes/desk-imports.ts';
import { deskReadinessRoutes } from '../http/routes/desk-readiness.ts';
import { deskStaffRoutes } from '../http/routes/desk-staff.ts';
import { deskWebhookRoutes } from '../http/routes/desk-webhooks.ts';
import { firmRoutes } from '../http/routes/firm-routes.ts';
import { sandboxRoutes } from '../http/routes/sandbox-routes.ts';
import { appPages } from '../http/static/app-pages.ts';
import { statusPage } from '../http/status/page.ts';
import type { ExternalServices, ServiceContainer, Services } from './services.ts';

/** Ten seconds of reads at full load. Reads need the database too, so the trail falls behind only while it is slow. */
const AUDIT_BUFFER_CAPACITY = 100_000;

/** Binds what `make` returns when it is called with the services of these names. */
type Bind = <Name extends keyof Services, const Needed extends readonly (keyof Services)[]>(
  name: Name,
  make: (services: Pick<Services, Needed[number]>) => Services[Name],
  needed: Needed,
) => void;

const moduleOf = (bindAll: (bind: Bind) => void): ContainerModule =>
  new ContainerModule(({ bind }) =>
    bindAll((name, make, needed) => {
      const makeWith = (...services: unknown[]) =>
        make(Object.fromEntries(services.map((service, index) => [needed[index], service])) as Services);
      bind(name).toResolvedValue(makeWith, [...needed]);
    }),
  );

const authentication = moduleOf((bind) => {
  bind('apiKeyAuthenticator', createApiKeyAuthenticator, ['credentials', 'secrets', 'clock']);
  bind('sessionAuthenticator', createSessionAuthenticator, [
    'credentials',
    'secrets',
    'clock',
    'passkeysRequired',
  ]);
});

/** For sign-in, of adjusters and of staff. */
const ACCOUNT_DEPS = [
  'uow',
  'auditBuffer',
  'mailer',
  'secrets',
  'passkeyVerifier',
  'passkeysRequired',
  'signInMonitor',
  'sessionMaxAgeMs',
  'networkOf',
  'clock',
  'ids',
] as const;

const useCases = moduleOf((bind) => {
  bind(
    'auditBuffer',
    ({ audit, log }) =>
      createWriteBuffer({
        keyOf: ({ chain }) => chain,
        store: audit,
        capacity: AUDIT_BUFFER_CAPACITY,
        onDropped: (count) => log.error('events were dropped from the audit trail', { dropped: count }),
      }),
    ['audit', 'log'],
  );
  bind(
    'offerBuffer',
    ({ offerHistory, log }) =>
      createWriteBuffer({
        keyOf: ({ claimId }) => claimId,
        store: offerHistory,
        onDropped: (count) => log.error('pushes and first reads of offers were dropped', { dropped: count }),
      }),
    ['offerHistory', 'log'],
  );
  bind('firmUseCases', firmUseCases, [
    'uow',
    'claimWrites',
    'firmReads',
    'boardReads',
    'staffReads',
    'operatorReads',
    'offerHistory',
    'receiptSigner',
    'addresses',
    'usedKeys',
    'faults',
    'requestLog',
    'clock',
    'ids',
  ]);
  bind('appUseCases', appUseCases, [
    ...ACCOUNT_DEPS,
    'claimWrites',
    'appReads',
    'offerBuffer',
    'offerHistory',
    'receiptSigner',
    'addresses',
  ]);
  bind('deskImportUseCases', deskImportUseCases, [
    'boardReads',
    'uow',
    'firmReads',
    'firmUseCases',
    'clock',
    'ids',
  ]);
  bind('deskUseCases', deskUseCases, [
    ...ACCOUNT_DEPS,
    'staffReads',
    'auditReads',
    'operatorReads',
    'requestLog',
    'rateLimiter',
    'apiKeyAuthenticator',
    'sha256',
  ]);
  bind('boardUseCases', boardUseCases, [
    ...['boardReads', 'firmReads', 'offerHistory', 'staffReads', 'operatorReads', 'clock'],
  ] as const);
  bind('operatorUseCases', operatorUseCases, [
    'uow',
    'operatorReads',
    'auditReads',
    'mailer',
    'staffReads',
    'requestLog',
    'firmData',
    'webhookReads',
    'encryption',
    'apiKeyAuthenticator',
    'secrets',
    'sessionMaxAgeMs',
    'operator',
    'pause',
    'clock',
    'ids',
  ]);
  bind('webhookUseCases', webhookUseCases, [
    'uow',
    'webhookReads',
    'webhookQueue',
    'webhookSender',
    'secrets',
    'clock',
    'ids',
  ]);
  bind(
    'webhookDeliveries',
    ({ log, ...deps }) =>
      createWebhookDeliveries({
        ...deps,
        random: Math.random,
        onFailed: ({ firmId, endpointId, attemptCount }, { status, error }) =>
          log.info('a webhook attempt failed', {
            ...{ firm_id: firmId, webhook_id: endpointId, attempt: attemptCount + 1 },
            ...(status === null ? { error } : { status }),
          }),
        onError: (error) =>
          log.warn('a webhook delivery could not be recorded and will be repeated', {
            error: (error as Error).name,
          }),
      }),
    ['webhookQueue', 'webhookSender', 'uow', 'metrics', 'clock', 'log'],
  );
  bind('runJob', makeRunJob, [
    'uow',
    'claimWrites',
    'jobReads',
    'boardReads',
    'firmReads',
    'appReads',
    'notifier',
    'mailer',
    'webhookNotices',
    'auditBuffer',
    'offerBuffer',
    'secrets',
    'clock',
  ]);
});

const http = moduleOf((bind) => {
  bind('firmRoutes', firmRoutes, ['firmUseCases', 'firmReads', 'cursors', 'clock', 'checkHealth']);
  bind('sandboxRoutes', sandboxRoutes, ['firmUseCases', 'clock']);
  bind('reportAppError', createErrorReports, ['log', 'clock']);
  bind('appRoutes', appRoutes, ['appUseCases', 'appReads', 'jobReads', 'reportAppError', 'cursors', 'clock']);
  bind('accountRoutes', accountRoutes, [
    'appUseCases',
    'deskUseCases',
    'accountReads',
    'secrets',
    'addresses',
    'clock',
  ]);
  bind('deskImportRoutes', deskImportRoutes, ['deskImportUseCases', 'clock', 'cursors']);
  bind('deskReadinessRoutes', deskReadinessRoutes, ['firmUseCases']);
  bind('deskStaffRoutes', deskStaffRoutes, ['deskUseCases', 'staffReads', 'operatorReads', 'clock']);
  bind('deskDeveloperRoutes', deskDeveloperRoutes, [
    'deskUseCases',
    'operatorReads',
    'staffReads',
    'cursors',
    'clock',
    'addresses',
  ]);
  bind('deskAuditRoutes', deskAuditRoutes, ['deskUseCases', 'staffReads', 'cursors']);
  bind('deskWebhookRoutes', deskWebhookRoutes, ['webhookUseCases', 'webhookReads', 'cursors']);
  bind('mcpRoute', mcpRoute, ['firmRoutes', 'sandboxRoutes', 'addresses']);
  bind(
    'routes',
    (of) => [
      ...of.firmRoutes,
      ...of.sandboxRoutes,
      ...of.appRoutes,
      ...of.accountRoutes,
      ...of.deskImportRoutes,
      ...of.deskReadinessRoutes,
      ...of.deskStaffRoutes,
      ...of.deskDeveloperRoutes,
      ...of.deskAuditRoutes,
      ...of.deskBoardRoutes,
      ...of.deskWebhookRoutes,
      of.mcpRoute,
    ],
    [
      'firmRoutes',
      'sandboxRoutes',
      'appRoutes',
      'accountRoutes',
      'deskImportRoutes',
      'deskReadinessRoutes',
      'deskStaffRoutes',
      'deskDeveloperRoutes',
      'deskAuditRoutes',
      'deskBoardRoutes',
      'deskWebhookRoutes',
      'mcpRoute',
    ],
  );
  bind('deskBoardRoutes', deskBoardRoutes, ['boardUseCases', 'cursors', 'clock']);
  bind('boardUpdates', ({ boardReads, ...of }) => createLiveUpdates({ ...of, reads: boardReads }), [
    'boardReads',
    'credentials',
    'clock',
    'streamLimit',
    'isDraining',
  ]);
  bind('liveUpdates', ({ appReads, ...of }) => createLiveUpdates({ ...of, reads: appReads }), [
    'appReads',
    'credentials',
    'clock',
    'streamLimit',
    'isDraining',
  ]);
  bind(
    'pages',
    (of) => [...appPages(of), ...eventStreams(of), ...docsPages(of), statusPage(of), jwksPage(of)],
    [
      'sessionAuthenticator',
      'liveUpdates',
      'boardUpdates',
      'addresses',
      'pushKey',
      'isDraining',
      'status',
      'receiptSigner',
    ],
  );
  bind('rejectionPace', ({ pause }) => createRejectionPace({ now: () => performance.now(), pause }), [
    'pause',
  ]);
  bind('httpApplication', createHttpApplication, [
    'routes',
    'apiKeyAuthenticator',
    'sessionAuthenticator',
    'sessionLimiter',
    'rateLimiter',
    'faults',
    'edgeLimiter',
    'pages',
    'trustProxy',
    'addresses',
    'log',
    'isDraining',
    'readLimit',
    'writeLimit',
    'rejectionPace',
    'observe',
    'tracing',
    'auditBuffer',
    'clock',
  ]);
});

/** Every service lives as long as the process; none is created per request. */
export function createContainer({ unitOfWork, ...external }: ExternalServices): ServiceContainer {
  const container = new Container({ defaultScope: 'Singleton' });
  for (const [name, service] of Object.entries(external)) container.bind(name).toConstantValue(service);
  const transactions = moduleOf((bind) => {
    bind('uow', ({ sessionAuthenticator }) => invalidatingSessions({ unitOfWork, sessionAuthenticator }), [
      'sessionAuthenticator',
    ]);
  });
  container.load(authentication, transactions, useCases, http);
  return { get: (name) => container.get(name) };
}
