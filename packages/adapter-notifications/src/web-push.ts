import { createHash } from 'node:crypto';
import type { Metrics, Notification, PushSubscription, Recipient } from '@svc/application';
import { DELIVERY_OUTCOMES, type DeliveryOutcome, type Svcid } from '@svc/domain';
import webPush from 'web-push';
import type { PushLog } from './log.ts';
import { type Post, PrivateAddressError, retryAfterMs } from './post.ts';
import type { Vapid } from './vapid.ts';

export interface WebPushOptions {
  /** Called on first use: a command that pushes nothing creates no keys. */
  readonly vapid: () => Vapid;
  removeDevice(svcId: Svcid, deviceId: string): Promise<void>;
  readonly log: PushLog;
  readonly metrics: Pick<Metrics, 'pushEnded'>;
  readonly post: Post;
  readonly timeoutMs?: number;
}

/** A push service answers in a fraction of this. The job of the notification waits for it. */
const TIMEOUT_MS = 5000;

/** How long a push service keeps a message for an offline device; after a day the offer has been seen elsewhere. */
const TTL_SECONDS = 24 * 60 * 60;

/** A longer Retry-After is cut to this, since the offer is still pending. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

export interface WebPush {
  /** Sends to the adjuster's devices, or to some of them. */
  send(
    recipient: Recipient,
    notification: Notification,
    isWanted?: (deviceId: string) => boolean,
  ): Promise<PushResult[]>;
}

interface PushResult {
  readonly deviceId: string;
  readonly outcome: DeliveryOutcome;
}

export function createWebPush(options: WebPushOptions): WebPush {
  const { log, metrics, timeoutMs = TIMEOUT_MS } = options;
  const endpoints = watchEndpoints(timeoutMs);
  let vapid: Vapid | undefined;
  /** Invalid VAPID keys must fail here: later they would look like an invalid subscription, which is removed. */
  const checkedVapid = (): Vapid => {
    if (vapid !== undefined) return vapid;
    const { subject, publicKey, privateKey } = options.vapid();
    webPush.getVapidHeaders('https://push.example', subject, publicKey, privateKey, 'aes128gcm');
    vapid = { subject, publicKey, privateKey };
    return vapid;
  };

  return {
    async send({ svcId, devices }, notification, isWanted = () => true) {
      const targets = devices.filter(({ deviceId }) => isWanted(deviceId));
      if (targets.length === 0) return [];
      const keys = checkedVapid();
      const results = await Promise.all(
        targets.map(async ({ deviceId, subscription }): Promise<PushResult> => {
          const outcome = endpoints.isAvailable(subscription.endpoint)
            ? await deliver(subscription, notification, keys, { ...options, timeoutMs }, endpoints)
            : 'retried';
          metrics.pushEnded(outcome);
          return { deviceId, outcome };
        }),
      );
      for (const { deviceId, outcome } of results)
        if (outcome === 'gone') await options.removeDevice(svcId, deviceId);
      const count = (wanted: DeliveryOutcome) => results.filter(({ outcome }) => outcome === wanted).length;
      log.info('pushed', {
        notice: notification.kind,
        ...('claimId' in notification && { claim_id: notification.claimId }),
        ...Object.fromEntries(
          DELIVERY_OUTCOMES.map((outcome) => [outcome, count(outcome)]).filter(([, n]) => n !== 0),
        ),
      });
      return results;
    },
  };
}

/** Of one push service: so many wait at a time, and after so many failures in a row it is paused. */
const MAX_SLOW_OF_SERVICE = 4;
/** Of all: half of what a process runs at a time, since whoever names push services may name many. */
const MAX_SLOW = 16;

/**
 * Endpoints and push services that are not called now: those with a Retry-After in force, and those that are slow, since
 * each push to them keeps a worker of the queue from the notifications of others. The job queue retries their
 * notifications.
 */
function watchEndpoints(timeoutMs: number) {
  /** A push that lasts longer is taken for one that will not end. */
  const slowAfterMs = timeoutMs / 5;
  /** How long nothing is sent to an endpoint, or to a push service, that was slow and then failed. */
  const pauseMs = timeoutMs * 2;
  /** By endpoint or host. */
  const pausedUntil = new Map<string, number>();
  /** When the pushes that are waiting for a response were sent, the oldest first. */
  const sentAt = new Map<string, number[]>();
  /** The host of each push that is slow. */
  const slow: string[] = [];
  /** Slow failures of a host since its last response. */
  const failures = new Map<string, { readonly count: number; readonly at: number }>();

  function pause(target: string, ms: number): void {
    const now = Date.now();
    for (const [other, end] of pausedUntil) if (end <= now) pausedUntil.delete(other);
    pausedUntil.set(target, now + ms);
  }

  function countFailure(host: string): void {
    const now = Date.now();
    for (const [other, { at }] of failures) if (at + 2 * pauseMs <= now) failures.delete(other);
    const count = (failures.get(host)?.count ?? 0) + 1;
    failures.set(host, { count, at: now });
    if (count >= MAX_SLOW_OF_SERVICE) pause(host, pauseMs);
  }

  const isPaused = (target: string): boolean => (pausedUntil.get(target) ?? 0) > Date.now();

  return {
    isAvailable(endpoint: string): boolean {
      const now = Date.now();
      const [oldest = now] = sentAt.get(endpoint) ?? [];
      return !isPaused(endpoint) && !isPaused(hostOf(endpoint)) && now - oldest < slowAfterMs;
    },
    pauseFor(endpoint: string, retryAfter: string): void {
      const delayMs = retryAfterMs(retryAfter);
      if (delayMs !== null) pause(endpoint, Math.min(delayMs, MAX_RETRY_AFTER_MS));
    },
    /** Pauses the endpoint if the push is slow and fails, and gives it up if too many are slow. */
    async during<T>(endpoint: string, push: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const host = hostOf(endpoint);
      const started = Date.now();
      const waiting = sentAt.get(endpoint) ?? [];
      waiting.push(started);
      sentAt.set(endpoint, waiting);
      const givingUp = new AbortController();
      let isSlow = false;
      const becomingSlow = setTimeout(() => {
        isSlow = true;
        const ofService = slow.filter((other) => other === host).length;
        slow.push(host);
        if (ofService >= MAX_SLOW_OF_SERVICE || slow.length > MAX_SLOW) givingUp.abort();
      }, slowAfterMs);
      try {
        const result = await push(givingUp.signal);
        failures.delete(host);
        return result;
      } catch (error) {
        if (isSlow) {
          pause(endpoint, pauseMs);
          countFailure(host);
        }
        throw error;
      } finally {
        clearTimeout(becomingSlow);
        if (isSlow) slow.splice(slow.indexOf(host), 1);
        waiting.splice(waiting.indexOf(started), 1);
        if (waiting.length === 0) sentAt.delete(endpoint);
      }
    },
  };
}

const hostOf = (endpoint: string): string => new URL(endpoint).host;

async function deliver(
  subscription: PushSubscription,
  notification: Notification,
  vapid: Vapid,
  options: Required<WebPushOptions>,
  endpoints: ReturnType<typeof watchEndpoints>,
): Promise<DeliveryOutcome> {
  let details: ReturnType<typeof webPush.generateRequestDetails>;
  try {
    details = webPush.generateRequestDetails(subscription, JSON.stringify(payloadOf(notification)), {
      vapidDetails: vapid,
      TTL: TTL_SECONDS,
      urgency: 'high',
      topic: topicOf(notification),
      contentEncoding: 'aes128gcm',
    });
  } catch {
    // The subscription's keys are invalid: no message can be delivered.
    return 'gone';
  }
  let status: number;
  let retryAfter: string | undefined;
  try {
    ({ status, retryAfter } = await endpoints.during(subscription.endpoint, (signal) =>
      options.post(details.endpoint, {
        headers: details.headers as Record<string, string>,
        body: details.body,
        timeoutMs: options.timeoutMs,
        signal,
      }),
    ));
  } catch (error) {
    if (!(error instanceof PrivateAddressError)) return 'retried';
    options.log.warn('a push service in a private network was not called');
    return 'rejected';
  }
  if (status === 429 || status >= 500) {
    if (retryAfter !== undefined) endpoints.pauseFor(subscription.endpoint, retryAfter);
    return 'retried';
  }
  if (status === 404 || status === 410) return 'gone';
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 401 || status === 403) {
    options.log.error('a push service rejected the VAPID keys', { status });
    return 'unauthorized';
  }
  options.log.warn('a push service rejected a message', { status });
  return 'rejected';
}

/** Shown on lock screens by the service worker, so no more than the firm's name and the kind. */
function payloadOf(notification: Notification) {
  const { kind } = notification;
  switch (kind) {
    case 'test':
      return { kind };
    case 'deadlines':
      return { kind, count: notification.count };
    case 'credentials':
      return { kind, date: notification.expiresOn };
    case 'invitation':
      return { kind, firm_name: notification.firmName, firm_id: notification.firmId };
    default:
      return { kind, firm_name: notification.firmName, claim_id: notification.claimId };
  }
}

/** What the notification is about: a later one about the same replaces it. */
function subjectOf(notification: Notification): string {
  switch (notification.kind) {
    case 'test':
    case 'deadlines':
    case 'credentials':
      return notification.kind;
    case 'invitation':
      return notification.firmId;
    default:
      return notification.claimId;
  }
}

/** A newer notification replaces an undelivered one of the same topic. Hashed, since push services can read it. */
function topicOf(notification: Notification): string {
  return createHash('sha256').update(subjectOf(notification)).digest('base64url').slice(0, 32);
}
