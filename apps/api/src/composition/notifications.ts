import {
  createMail,
  createMailLog,
  createNotifier,
  createPost,
  createResolveName,
  createVapidKeys,
  createWebhookSender,
  createWebPush,
  type Vapid,
} from '@svc/adapter-notifications';
import type { PostgresStores } from '@svc/adapter-postgres';
import {
  type Mailer,
  type Metrics,
  type Notifier,
  Unavailable,
  type WebhookNotices,
  type WebhookSender,
} from '@svc/application';
import { type Config, supportEmailOf } from '../config.ts';
import type { ProblemAddresses } from '../http/problems/http-problem.ts';
import type { Log } from '../logging.ts';
import { keptFile } from './kept-file.ts';

export { createVapidKeys, mailProblem } from '@svc/adapter-notifications';

interface Notifications {
  readonly mailer: Mailer;
  readonly notifier: Notifier;
  readonly webhookSender: WebhookSender;
  readonly webhookNotices: WebhookNotices;
  /** The public VAPID key, with which browsers subscribe. */
  readonly pushKey: () => string;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Whether only this machine can reach the service. BASE_URL counts too: behind a proxy, a public service listens on loopback. */
const isLocalOnly = (config: Config): boolean =>
  LOOPBACK.has(config.host) &&
  (config.baseUrl === null || LOOPBACK.has(new URL(config.baseUrl).hostname.replace(/^\[|\]$/g, '')));

const VAPID_FILE = 'vapid.json';

/** Subscriptions are bound to the keys, so these outlive the process; several machines need them in the environment. */
function storedVapid(dataDir: string): Pick<Vapid, 'publicKey' | 'privateKey'> {
  const text = keptFile(dataDir, VAPID_FILE, () => JSON.stringify(createVapidKeys()));
  try {
    const { publicKey, privateKey } = JSON.parse(text) as Vapid;
    return { publicKey, privateKey };
  } catch {
    throw new Error(
      `${VAPID_FILE} in DATA_DIR contains no VAPID keys; remove it to generate new ones (devices then have to subscribe again)`,
    );
  }
}

/** Notifies adjusters through push services and by mail, and firms through their endpoints. */
export function createNotifications(deps: {
  readonly config: Config;
  readonly stores: PostgresStores;
  readonly log: Log;
  readonly addresses: ProblemAddresses;
  readonly metrics: Metrics;
}): Notifications {
  const { config, stores, log, addresses, metrics } = deps;
  let vapid: Vapid | null = null;
  const vapidKeys = (): Vapid => {
    try {
      vapid ??= config.vapid ?? {
        ...storedVapid(config.dataDir),
        subject: `mailto:${supportEmailOf(config, addresses.baseUrl)}`,
      };
      return vapid;
    } catch (error) {
      log.error('push messages need the VAPID_… variables or a writable DATA_DIR', {
        error: (error as Error).message,
      });
      throw new Unavailable('No VAPID keys are available.');
    }
  };
  const mail =
    config.smtpUrl === null ? createMailLog(log) : createMail(config.smtpUrl, () => addresses.baseUrl, log);
  const allowLoopback = isLocalOnly(config);
  const post = createPost(allowLoopback, createResolveName(config.dnsServers));
  const push = createWebPush({
    vapid: vapidKeys,
    removeDevice: (svcId, deviceId) => stores.unitOfWork.run((tx) => tx.devices.remove(svcId, deviceId)),
    log,
    metrics,
    post,
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
  const webhookNotices: WebhookNotices = {
    async paused(firmId, endpointId) {
      const endpoint = (await stores.webhookReads.endpoints(firmId)).find(({ id }) => id === endpointId);
      if (endpoint === undefined || endpoint.paused === null) return;
      log.warn('a webhook endpoint was paused', {
        firm_id: firmId,
        webhook_id: endpointId,
        reason: endpoint.paused,
      });
      const admins = (await stores.staffReads.ofFirm(firmId)).filter(({ role }) => role === 'admin');
      const { host } = new URL(endpoint.url);
      for (const { email } of admins) await mail.sendWebhookPaused(email, host, endpoint.paused === 'gone');
    },
  };
  const webhookSender = createWebhookSender(allowLoopback, post);
  return { mailer: mail, notifier, webhookSender, webhookNotices, pushKey: () => vapidKeys().publicKey };
}
