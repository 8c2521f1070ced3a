import type { PostgresStores } from '@svc/adapter-postgres';
import {
  createMail,
  createMailLog,
  createNotifier,
  createWebPush,
  type Vapid,
  vapidUnder,
} from '@svc/adapter-push';
import { type Mailer, type Notifier, Unavailable } from '@svc/application';
import { makeFolders } from '@svc/embedded-postgres';
import type { Config } from '../config.ts';
import type { ProblemAddresses } from '../http/problems/http-problem.ts';
import type { Log } from '../logging.ts';

interface Notifying {
  readonly mailer: Mailer;
  readonly notifier: Notifier;
  /** The key that browsers subscribe with. */
  readonly pushKey: () => string;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Whether nobody but this machine reaches the service: behind a proxy it listens on loopback and faces the world. */
const isAtHome = (config: Config): boolean =>
  LOOPBACK.has(config.host) &&
  (config.baseUrl === null || LOOPBACK.has(new URL(config.baseUrl).hostname.replace(/^\[|\]$/g, '')));

function keptKeys(dataDir: string): Vapid {
  makeFolders(dataDir);
  return vapidUnder(dataDir);
}

/** How adjusters are told of things: devices through their push services, mailboxes through SMTP. */
export function createNotifications(deps: {
  readonly config: Config;
  readonly stores: PostgresStores;
  readonly log: Log;
  readonly addresses: ProblemAddresses;
}): Notifying {
  const { config, stores, log, addresses } = deps;
  let vapid: Vapid | null = null;
  const keys = (): Vapid => {
    try {
      vapid ??= config.vapid ?? keptKeys(config.dataDir);
      return vapid;
    } catch (error) {
      log.error('push messages need VAPID_PUBLIC_KEY and its kin, or a DATA_DIR that can be written', {
        error: (error as Error).message,
      });
      throw new Unavailable('There are no keys for push messages.');
    }
  };
  const mail =
    config.smtpUrl === null
      ? createMailLog(log)
      : createMail(config.smtpUrl, () => `${addresses.baseUrl}/app`, log);
  const push = createWebPush({
    vapid: keys,
    devices: {
      list: (svcId) => stores.jobReads.devices(svcId),
      remove: (svcId, deviceId) => stores.unitOfWork.run((tx) => tx.devices.remove(svcId, deviceId)),
    },
    log,
    allowPrivateNetwork: isAtHome(config),
  });
  const notifier = createNotifier({
    push,
    mail,
    log,
    async emailOf(svcId) {
      const adjuster = await stores.appReads.adjuster(svcId);
      return adjuster === null || adjuster.testOf !== null ? null : adjuster.email;
    },
  });
  return { mailer: mail, notifier, pushKey: () => keys().publicKey };
}
