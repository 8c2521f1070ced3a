import type { Delivery, Notification, Notifier } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { mailErrorFields, type PushLog } from './log.ts';
import type { Mail } from './mail.ts';
import type { WebPush } from './web-push.ts';

const DEVICE = 'device:';

/**
 * Notifications go to the adjuster's devices; invitations also by mail, since a new adjuster has no device yet, and what is
 * needed months later. Mail is part of the deliveries only where it has to be retried.
 */
export function createNotifier(deps: {
  readonly push: WebPush;
  readonly mail: Mail;
  readonly log: PushLog;
  /** Null when the account has no address or is a test account. */
  emailOf(svcId: Svcid): Promise<string | null>;
}): Notifier {
  /** Undefined: not by mail. */
  const mailOf = (notification: Notification): ((email: string) => Promise<void>) | undefined => {
    if (notification.kind === 'invitation')
      return (email) => deps.mail.sendInvitation(email, notification.firmName, notification.isReminder);
    if (notification.kind === 'credentials')
      return (email) => deps.mail.sendCredentialsExpire(email, notification.expiresOn);
    return undefined;
  };
  const mailTo = async (svcId: Svcid, send: (email: string) => Promise<void>): Promise<Delivery[]> => {
    const email = await deps.emailOf(svcId);
    if (email === null) return [];
    try {
      await send(email);
      return [];
    } catch (error) {
      deps.log.warn('a notification could not be emailed', mailErrorFields(error));
      return [{ channel: 'mail', outcome: 'retried' }];
    }
  };
  return {
    async notify(recipient, notification, { only, except = [] } = {}) {
      const byMail =
        (only === undefined || only === 'mail') && !except.includes('mail')
          ? mailOf(notification)
          : undefined;
      const device = only?.startsWith(DEVICE) ? only.slice(DEVICE.length) : undefined;
      const [mail, devices] = await Promise.all([
        byMail === undefined ? [] : mailTo(recipient.svcId, byMail),
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
