import type { AppClaim } from '@svc/contract';
import { ApiError, call, NetworkError } from './api.ts';
import { type Outcome, outcomes, type QueuedAnswer, queuedAnswers, storage } from './storage.ts';

/** Tabs and the service worker send each other messages about what has changed. */
export const openChannel = (): BroadcastChannel => new BroadcastChannel('claims');
export type TabMessage =
  | { readonly kind: 'answers' }
  | { readonly kind: 'open'; readonly hash: string }
  /** Who is signed in now; null when nobody is. */
  | { readonly kind: 'session'; readonly svcId: string | null };

/** Runs one at a time on the whole device, in whichever tab or worker. */
export const exclusively = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? (navigator.locks.request('answers', work) as Promise<T>) : work();

/**
 * Sends the queued answers, oldest first, and stores their results. An answer leaves the queue once the service has
 * confirmed it; before it is sent again the claim is read, so that it takes effect only once.
 */
export const sendQueuedAnswers = (): Promise<'sent' | 'offline' | 'signed out'> =>
  exclusively(async () => {
    const svcId = (await storage.get('profile'))?.svc_id;
    const own = (await queuedAnswers.all()).filter((one) => one.svcId === svcId);
    for (const answer of own) {
      try {
        await queuedAnswers.put({ ...answer, tried: true });
        const result = answer.tried === true ? await sendAgain(answer) : await send(answer);
        if (result === 'rejected' || result === 'gone') await storage.removeOffer(answer.claimId);
        await outcomes.add({ claimId: answer.claimId, result, title: answer.title });
        await queuedAnswers.remove(answer.claimId);
        notifyTabs();
      } catch (error) {
        if (error instanceof NetworkError) return 'offline';
        if (error instanceof ApiError && error.status === 401) return 'signed out';
        throw error;
      }
    }
    return 'sent';
  });

/** False when it was sent before it could be removed. */
export const withdrawQueuedAnswer = (claimId: string): Promise<boolean> =>
  exclusively(async () => {
    const queued = (await queuedAnswers.all()).some((one) => one.claimId === claimId);
    await queuedAnswers.remove(claimId);
    notifyTabs();
    return queued;
  });

function notifyTabs(): void {
  const channel = openChannel();
  channel.postMessage({ kind: 'answers' } satisfies TabMessage);
  channel.close();
}

async function send({ claimId, answer, reason }: QueuedAnswer): Promise<Outcome['result']> {
  const wanted = answer === 'accept' ? 'accepted' : 'rejected';
  try {
    if (answer === 'accept') await call('POST', `v1/claims/${claimId}/acceptance`);
    else await call('POST', `v1/claims/${claimId}/rejection`, reason === undefined ? {} : { reason });
    return wanted;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    if (error.code === 'not_found') return 'gone';
    if (error.code !== 'offer_not_pending') return 'refused';
    const claim = await readClaim(claimId);
    if (claim === null) return unreadable(answer);
    return claim.assignment.status === wanted ? wanted : 'answered';
  }
}

/**
 * Sends an answer that may have arrived before. It is valid only for the offer that the adjuster saw: when the claim
 * was offered again since, the new offer stays unanswered.
 */
async function sendAgain(answer: QueuedAnswer): Promise<Outcome['result']> {
  const wanted = answer.answer === 'accept' ? 'accepted' : 'rejected';
  const claim = await readClaim(answer.claimId);
  if (claim === null) return unreadable(answer.answer);
  if (claim.assignment.status === wanted) return wanted;
  if (claim.assignment.status !== 'pending_acceptance' || claim.closed_at !== null) return 'answered';
  if (answer.offeredAt !== undefined && claim.offered_at !== answer.offeredAt) return 'offeredAgain';
  return send(answer);
}

/** A rejected claim cannot be read, so a rejection of a claim that cannot be read is done either way. */
const unreadable = (answer: QueuedAnswer['answer']): Outcome['result'] =>
  answer === 'reject' ? 'rejected' : 'gone';

/** Null once the claim was rejected or offered to someone else. */
async function readClaim(id: string): Promise<AppClaim | null> {
  try {
    return await call<AppClaim>('GET', `v1/claims/${id}`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
