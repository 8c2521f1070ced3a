import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { JobReads, Notification, PushSubscription } from '@svc/application';
import type { Svcid } from '@svc/domain';
import webPush from 'web-push';
import type { PushLog } from './log.ts';
import { isPrivateAddress, lookupPublicAddress, PrivateAddressError } from './private-network.ts';
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
}

/** Seconds for which a push service keeps a message for a device that is off. An offer older than a day has been seen elsewhere. */
const KEEP_SECONDS = 24 * 60 * 60;

/** A push service that asks for more than this is asked again anyway: the offer is still waiting. */
const LONGEST_SILENCE_MS = 60 * 60 * 1000;

export interface WebPush {
  /** To every device of the adjuster, or to the one that is named. Returns the ids of those to be tried again later. */
  send(svcId: Svcid, notice: Notification, deviceId?: string): Promise<string[]>;
}

export function createWebPush(options: WebPushOptions): WebPush {
  const { devices, log } = options;
  const silences = createSilences();
  let checked: Vapid | undefined;
  /** Keys of ours that are no good must not be mistaken for devices that are gone. */
  const soundVapid = (): Vapid => {
    if (checked !== undefined) return checked;
    const vapid = options.vapid();
    webPush.getVapidHeaders(
      'https://push.example',
      vapid.subject,
      vapid.publicKey,
      vapid.privateKey,
      'aes128gcm',
    );
    checked = vapid;
    return vapid;
  };

  return {
    async send(svcId, notice, deviceId) {
      const found = await devices.list(svcId);
      const wanted = deviceId === undefined ? found : found.filter((device) => device.deviceId === deviceId);
      if (wanted.length === 0) return [];
      const vapid = soundVapid();
      const outcomes = await Promise.all(
        wanted.map(async (device) => ({
          deviceId: device.deviceId,
          outcome: silences.holds(device.subscription.endpoint)
            ? 'later'
            : await deliver(device.subscription, notice, vapid, options, silences),
        })),
      );
      const those = (sought: Outcome): string[] =>
        outcomes.filter(({ outcome }) => outcome === sought).map((one) => one.deviceId);
      for (const gone of those('gone')) await devices.remove(svcId, gone);
      const later = those('later');
      log.debug('pushed', {
        notice: notice.kind,
        delivered: those('delivered').length,
        gone: those('gone').length,
        later: later.length,
      });
      return later;
    },
  };
}

/** Addresses whose push service has said when to come again. The queue may knock before that; nobody is sent for. */
function createSilences() {
  const ends = new Map<string, number>();
  return {
    holds(endpoint: string): boolean {
      const end = ends.get(endpoint);
      if (end === undefined) return false;
      if (end > Date.now()) return true;
      ends.delete(endpoint);
      return false;
    },
    begin(endpoint: string, retryAfter: string): void {
      const seconds = Number(retryAfter);
      const asked = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
      if (!(asked > 0)) return;
      const now = Date.now();
      for (const [other, end] of ends) if (end <= now) ends.delete(other);
      ends.set(endpoint, now + Math.min(asked, LONGEST_SILENCE_MS));
    },
  };
}

type Outcome = 'delivered' | 'gone' | 'later' | 'refused';

async function deliver(
  subscription: PushSubscription,
  notice: Notification,
  vapid: Vapid,
  options: WebPushOptions,
  silences: ReturnType<typeof createSilences>,
): Promise<Outcome> {
  let details: ReturnType<typeof webPush.generateRequestDetails>;
  try {
    details = webPush.generateRequestDetails(subscription, JSON.stringify(payloadOf(notice)), {
      vapidDetails: vapid,
      TTL: KEEP_SECONDS,
      urgency: 'high',
      topic: topicOf(notice),
      contentEncoding: 'aes128gcm',
    });
  } catch {
    // Keys that no browser made: nothing will ever be delivered there.
    return 'gone';
  }
  let status: number;
  let retryAfter: string | undefined;
  try {
    ({ status, retryAfter } = await post(details, options));
  } catch (error) {
    if (!(error instanceof PrivateAddressError)) return 'later';
    options.log.warn('a push service in the inner network was not called');
    return 'refused';
  }
  if (status === 429 || status >= 500) {
    if (retryAfter !== undefined) silences.begin(subscription.endpoint, retryAfter);
    return 'later';
  }
  if (status === 404 || status === 410) return 'gone';
  if (status >= 200 && status < 300) return 'delivered';
  options.log.warn('a push service refused a message', { status });
  return 'refused';
}

/** What the service worker makes its lines from. It shows on lock screens: the firm, and that something waits. */
function payloadOf(notice: Notification) {
  return notice.kind === 'invitation'
    ? { kind: notice.kind, firm_name: notice.firmName, firm_id: notice.firmId }
    : { kind: notice.kind, firm_name: notice.firmName, claim_id: notice.claimId };
}

/** Later news of a claim takes the place of earlier news that was not delivered yet. Push services see it: so a hash. */
function topicOf(notice: Notification): string {
  const about = notice.kind === 'invitation' ? notice.firmId : notice.claimId;
  return createHash('sha256').update(about).digest('base64url').slice(0, 32);
}

function post(
  details: ReturnType<typeof webPush.generateRequestDetails>,
  options: WebPushOptions,
): Promise<{ status: number; retryAfter: string | undefined }> {
  const { endpoint, method, headers, body } = details;
  const { protocol, hostname } = new URL(endpoint);
  const guarded = !options.allowInnerNetwork;
  if (guarded && isPrivateAddress(hostname.replace(/^\[|\]$/g, ''))) {
    return Promise.reject(new PrivateAddressError('a push service cannot be in the inner network'));
  }
  const request = protocol === 'http:' ? httpRequest : httpsRequest;
  const signal = AbortSignal.timeout(options.timeoutMs ?? 10_000);
  return new Promise((resolve, reject) => {
    const sent = request(
      endpoint,
      {
        method,
        headers: headers as Record<string, string>,
        signal,
        ...(guarded && { lookup: lookupPublicAddress }),
      },
      (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
