import { createWebhookDeliveries, type UnitOfWork, webhookUseCases } from '@svc/application';
import { deskWebhookRoutes } from '../http/routes/desk-webhooks.ts';
import type { Ports } from './services.ts';

type DeliveryPorts = Ports & { readonly uow: UnitOfWork };

/** The endpoints of firms, and what is sent to them. */
export const webhooks = {
  services: {
    ...webhookUseCases,
    webhookDeliveries: ({ log, webhookQueue, webhookSender, uow, metrics, clock }: DeliveryPorts) =>
      createWebhookDeliveries({
        ...{ webhookQueue, webhookSender, uow, metrics, clock },
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
  },
  routes: [deskWebhookRoutes],
  pages: [],
};
