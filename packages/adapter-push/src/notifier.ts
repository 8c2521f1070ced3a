import type { Notifier } from '@svc/application';
import type { Svcid } from '@svc/domain';
import type { Mail } from './mail.ts';
import type { WebPush } from './web-push.ts';

/** Every notice goes to the adjuster's devices; an invitation by mail as well, since a newcomer has no device yet. */
export function createNotifier(deps: {
  readonly push: WebPush;
  readonly mail: Mail;
  /** Null when the account has no address, or is a test account. */
  emailOf(svcId: Svcid): Promise<string | null>;
}): Notifier {
  return {
    async notify(svcId, notice) {
      if (notice.kind === 'invitation') {
        const email = await deps.emailOf(svcId);
        if (email !== null) await deps.mail.sendInvitation(email, notice.firmName);
      }
      await deps.push.send(svcId, notice);
    },
  };
}
