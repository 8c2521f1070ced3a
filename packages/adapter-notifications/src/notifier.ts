import type { Delivery, Notifier } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { mailErrorFields, type PushLog } from './log.ts';
import type { Mail } from './mail.ts';
import type { WebPush } from './web-push.ts';

const DEVICE = 'device:';

/**
 * Notifications go to the adjuster's devices; invitations also by mail, since a new adjuster has no device yet. Mail is part
 * of the deliveries only where it has to be retried.
 */
export function createNotifier(deps: {
  readonly push: WebPush;
  readonly mail: Mail;
  readonly log: PushLog;
  /** Null when the account has no address or is a test account. */
  emailOf(svcId: Svcid): Promise<string | null>;
}): Notifier {
  const mailInvitation = async (svcId: Svcid, firmName: string): Promise<Delivery[]> => {
    const email = await deps.emailOf(svcId);
    if (email === null) return [];
    try {
      await deps.mail.sendInvitation(email, firmName);
      return [];
    } catch (error) {
      deps.log.warn('an invitation could not be emailed', mailErrorFields(error));
      return [{ channel: 'mail', outcome: 'retried' }];
    }
  };
  return {
    async notify(recipient, notification, { only, except = [] } = {}) {
      const byMail =
        notification.kind === 'invitation' &&
        (only === undefined || only === 'mail') &&
        !except.includes('mail');
      const device = only?.startsWith(DEVICE) ? only.slice(DEVICE.length) : undefined;
      const [mail, devices] = await Promise.all([
        byMail ? mailInvitation(recipient.svcId, notification.firmName) : [],
        only === 'mail'
          ? []
          : deps.push.send(recipient, notification, (id) =>
              device === undefined ? !except.includes(`${DEVICE}${id}`) : id === device,
            ),
      ]);
      return [
        ...mail,
        ...devices.map(({ deviceId, outcome }): Delivery => ({ channel: `${DEVICE}${deviceId}`, outcome })),
      ];
    },
  };
}
