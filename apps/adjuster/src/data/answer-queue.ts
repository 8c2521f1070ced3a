import type { AppClaim } from '@svc/contract';
import {
  type AnswerResponse,
  type AnswerService,
  answerState,
  type QueuedAnswer,
  sendAnswer,
} from '../model/answer-sender.ts';
import { pastOffer } from '../model/history.ts';
import { ApiError, call, NetworkError, needsSignIn } from './api.ts';
import { history, outcomes, queuedAnswers, storage } from './storage.ts';
import { withLock } from './with-lock.ts';

/** Tabs and the service worker send each other messages about what has changed. */
export const openChannel = (): BroadcastChannel => new BroadcastChannel('claims');
export type TabMessage =
  | { readonly kind: 'answers' }
  | { readonly kind: 'open'; readonly hash: string }
  /** Who is signed in now; null when nobody is. */
  | { readonly kind: 'session'; readonly svcId: string | null };

const service: AnswerService = {
  async post({ claimId, answer, reason, offeredAt }): Promise<AnswerResponse> {
    const path = answer === 'accept' ? 'acceptance' : 'rejection';
    const body = {
      ...(offeredAt !== undefined && { offered_at: offeredAt }),
      ...(reason !== undefined && { reason }),
    };
    try {
      await call('POST', `v1/claims/${claimId}/${path}`, body);
      return { kind: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError) || needsSignIn(error)) throw error;
      const { code } = error;
      return { kind: code === 'not_found' || code === 'offer_not_pending' ? code : 'refused' };
    }
  },
  async read(claimId) {
    try {
      return await call<AppClaim>('GET', `v1/claims/${claimId}`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
};

/** The queued answers of the adjuster who is signed in, oldest first. */
async function ownAnswers(): Promise<QueuedAnswer[]> {
  const svcId = (await storage.get('profile'))?.svc_id;
  return (await queuedAnswers.all()).filter((one) => one.svcId === svcId);
}

export type SentAnswers = 'sent' | 'offline' | 'signed out' | 'passkey required';

/**
 * Sends the queued answers whose undo time is over, oldest first, and stores their results. An answer leaves the queue
 * once the service has confirmed it.
 */
export const sendQueuedAnswers = (): Promise<SentAnswers> =>
  withLock('answers', async () => {
    for (const answer of await ownAnswers()) {
      if (answerState(answer, Date.now()) === 'held') continue;
      // Without a network nothing leaves the device, so the answer can still be taken back.
      if (!navigator.onLine) return 'offline';
      try {
        await queuedAnswers.put({ ...answer, tried: true });
        const result = await sendAnswer(answer, service);
        if (result === 'rejected') await recordRejection(answer);
        if (result === 'rejected' || result === 'gone') await storage.removeOffer(answer.claimId);
        await outcomes.add({ claimId: answer.claimId, result, title: answer.title });
        await queuedAnswers.remove(answer.claimId);
        notifyTabs();
      } catch (error) {
        if (error instanceof NetworkError) return 'offline';
        if (needsSignIn(error)) return error.status === 401 ? 'signed out' : 'passkey required';
        throw error;
      }
    }
    return 'sent';
  });

async function recordRejection({ claimId, reason }: QueuedAnswer): Promise<void> {
  const claim = (await storage.get('offers'))?.find(({ id }) => id === claimId);
  if (claim !== undefined) await history.add([pastOffer(claim, 'rejected', Date.now(), reason)]);
}

/** Ends the undo time of all answers: the page may be closed next. */
export const releaseHeldAnswers = (): Promise<void> =>
  withLock('answers', async () => {
    for (const { sendAt, ...answer } of await ownAnswers()) {
      if (sendAt !== undefined) await queuedAnswers.put(answer);
    }
  });

/** False when it may have been sent before it could be removed. */
export const withdrawQueuedAnswer = (claimId: string): Promise<boolean> =>
  withLock('answers', async () => {
    const queued = (await ownAnswers()).find((one) => one.claimId === claimId);
    if (queued === undefined || queued.tried === true) return false;
    await queuedAnswers.remove(claimId);
    notifyTabs();
    return true;
  });

function notifyTabs(): void {
  const channel = openChannel();
  channel.postMessage({ kind: 'answers' } satisfies TabMessage);
  channel.close();
}
