import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP } from 'node:net';
import type { JobReads, Notice, PushSubscription } from '@svc/application';
import type { Svcid } from '@svc/domain';
import webPush from 'web-push';
import type { PushLog } from './log.ts';
import type { Vapid } from './vapid.ts';

export interface Devices {
  readonly list: JobReads['devices'];
  remove(svcId: Svcid, deviceId: string): Promise<void>;
}

export interface WebPushOptions {
  /** Asked for when first needed: a command that pushes nothing makes no keys. */
  readonly vapid: () => Vapid;
  readonly devices: Devices;
  readonly log: PushLog;
  /**
   * Whether a subscription may name a push service in this machine's own network. Only for an installation that
   * itself listens on loopback: elsewhere a forged subscription would make the service knock on inner doors.
   */
  readonly allowInnerNetwork: boolean;
  readonly timeoutMs?: number;
  /** Certificates to trust besides the system's, PEM; for a push service of one's own. */
  readonly ca?: string | undefined;
}

/** Seconds for which a push service keeps a message for a device that is off. An offer older than a day has been seen elsewhere. */
const KEEP_SECONDS = 24 * 60 * 60;

/** The push service wants the message again later; the job queue backs off and tries. */
export class PushDelayed extends Error {
  override readonly name = 'PushDelayed';
}

export interface WebPush {
  /** To every device of the adjuster. Throws `PushDelayed` when a device has to be tried again. */
  send(svcId: Svcid, notice: Notice): Promise<void>;
}

export function createWebPush(options: WebPushOptions): WebPush {
  const { devices, log } = options;
  return {
    async send(svcId, notice) {
      const found = await devices.list(svcId);
      const outcomes = await Promise.all(
        found.map(async ({ deviceId, subscription }) => ({
          deviceId,
          outcome: await deliver(subscription, notice, options),
        })),
      );
      for (const { deviceId } of outcomes.filter(({ outcome }) => outcome === 'gone')) {
        await devices.remove(svcId, deviceId);
      }
      const count = (wanted: Outcome): number => outcomes.filter(({ outcome }) => outcome === wanted).length;
      log.debug('pushed', {
        notice: notice.kind,
        delivered: count('delivered'),
        gone: count('gone'),
        later: count('later'),
      });
      if (count('later') > 0) throw new PushDelayed('a push service asked to try again later');
    },
  };
}

type Outcome = 'delivered' | 'gone' | 'later' | 'refused';

async function deliver(
  subscription: PushSubscription,
  notice: Notice,
  options: WebPushOptions,
): Promise<Outcome> {
  let details: ReturnType<typeof webPush.generateRequestDetails>;
  try {
    if (!options.allowInnerNetwork && (await isInner(new URL(subscription.endpoint).hostname))) return 'gone';
    details = webPush.generateRequestDetails(subscription, JSON.stringify(payloadOf(notice)), {
      vapidDetails: options.vapid(),
      TTL: KEEP_SECONDS,
      urgency: 'high',
      topic: topicOf(notice),
      contentEncoding: 'aes128gcm',
    });
  } catch {
    // Keys that no browser made: nothing will ever be delivered there.
    return 'gone';
  }
  const status = await post(details, options).catch(() => null);
  if (status === null || status === 429 || status >= 500) return 'later';
  if (status === 404 || status === 410) return 'gone';
  if (status >= 200 && status < 300) return 'delivered';
  options.log.warn('a push service refused a message', { status });
  return 'refused';
}

/** What the service worker makes its lines from. It shows on lock screens: the firm, and that something waits. */
function payloadOf(notice: Notice) {
  return notice.kind === 'invitation'
    ? { kind: notice.kind, firm_name: notice.firmName, firm_id: notice.firmId }
    : { kind: notice.kind, firm_name: notice.firmName, claim_id: notice.claimId };
}

/** Later news of a claim takes the place of earlier news that was not delivered yet. Push services see it: so a hash. */
function topicOf(notice: Notice): string {
  const about = notice.kind === 'invitation' ? notice.firmId : notice.claimId;
  return createHash('sha256').update(about).digest('base64url').slice(0, 32);
}

function post(
  details: ReturnType<typeof webPush.generateRequestDetails>,
  options: WebPushOptions,
): Promise<number> {
  const { endpoint, method, headers, body } = details;
  const request = endpoint.startsWith('http:') ? httpRequest : httpsRequest;
  const signal = AbortSignal.timeout(options.timeoutMs ?? 10_000);
  return new Promise((resolve, reject) => {
    const sent = request(
      endpoint,
      { method, headers: headers as Record<string, string>, signal, ...(options.ca && { ca: options.ca }) },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

const INNER = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  INNER.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INNER.addSubnet(network, prefix, 'ipv6');
}

/** Whether a name leads into this machine or its own network, by any of its addresses. */
async function isInner(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [{ address: host, family: isIP(host) }] : await lookup(host, { all: true });
  return addresses.some(({ address, family }) => {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
    return mapped === undefined
      ? INNER.check(address, family === 6 ? 'ipv6' : 'ipv4')
      : INNER.check(mapped, 'ipv4');
  });
}
