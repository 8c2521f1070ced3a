import type { AppClaim } from '@svc/contract';
import { call, Refusal, Unreachable } from './api.ts';
import { kept, type Outcome, outcomes, removeOffer, type WaitingAnswer, waitingAnswers } from './kept.ts';

/** Pages and the service worker tell each other what has changed. */
export const news = (): BroadcastChannel => new BroadcastChannel('claims');
export type News =
  | { readonly kind: 'answers' }
  | { readonly kind: 'open'; readonly hash: string }
  /** Who is signed in from now on; null when nobody is. */
  | { readonly kind: 'session'; readonly svcId: string | null };

/** One at a time on the whole device, whichever tab or worker it is. */
export const alone = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? (navigator.locks.request('answers', work) as Promise<T>) : work();

/**
 * Sends what waits, oldest first, and keeps what came of it. An answer goes only when the service has said what became
 * of it; one whose receipt was lost on the way is asked about, so that it counts once however often it was sent.
 *
 * @returns whether any still waits, and whether somebody has to sign in first.
 */
export const sendAnswers = (): Promise<'sent' | 'waiting' | 'signed out'> =>
  alone(async () => {
    const svcId = (await kept.get('profile'))?.svc_id;
    const own = (await waitingAnswers.all()).filter((one) => one.svcId === svcId);
    for (const answer of own) {
      try {
        await waitingAnswers.put({ ...answer, tried: true });
        const result = answer.tried === true ? await sendAgain(answer) : await send(answer);
        if (result === 'rejected' || result === 'gone') await removeOffer(answer.claimId);
        await outcomes.add({ claimId: answer.claimId, result, title: answer.title });
        await waitingAnswers.remove(answer.claimId);
        announce();
      } catch (error) {
        if (error instanceof Unreachable) return 'waiting';
        if (error instanceof Refusal && error.status === 401) return 'signed out';
        throw error;
      }
    }
    return 'sent';
  });

/** False when it has gone out meanwhile. */
export const takeBack = (claimId: string): Promise<boolean> =>
  alone(async () => {
    const waits = (await waitingAnswers.all()).some((one) => one.claimId === claimId);
    await waitingAnswers.remove(claimId);
    announce();
    return waits;
  });

function announce(): void {
  const channel = news();
  channel.postMessage({ kind: 'answers' } satisfies News);
  channel.close();
}

async function send({ claimId, answer, reason }: WaitingAnswer): Promise<Outcome['result']> {
  const wanted = answer === 'accept' ? 'accepted' : 'rejected';
  try {
    if (answer === 'accept') await call('POST', `v1/claims/${claimId}/acceptance`);
    else await call('POST', `v1/claims/${claimId}/rejection`, reason === undefined ? {} : { reason });
    return wanted;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 401) throw error;
    if (error.code === 'not_found') return 'gone';
    if (error.code !== 'offer_not_pending' && error.code !== 'claim_closed') return 'refused';
    const claim = await readClaim(claimId);
    if (claim === null) return 'gone';
    return claim.assignment.status === wanted ? wanted : 'answered';
  }
}

/**
 * An answer that has waited, or may have arrived already, is for the offer that the adjuster saw. When that one is over
 * and the claim was offered anew, the new offer is not answered with what was said of the old one.
 */
async function sendAgain(answer: WaitingAnswer): Promise<Outcome['result']> {
  const wanted = answer.answer === 'accept' ? 'accepted' : 'rejected';
  const claim = await readClaim(answer.claimId);
  if (claim === null) return 'gone';
  if (claim.assignment.status === wanted) return wanted;
  if (claim.assignment.status !== 'pending_acceptance' || claim.closed_at !== null) return 'answered';
  if (answer.offeredAt !== undefined && claim.offered_at !== answer.offeredAt) return 'offeredAgain';
  return send(answer);
}

/** Null once the claim was rejected or offered to someone else. */
async function readClaim(id: string): Promise<AppClaim | null> {
  try {
    return await call<AppClaim>('GET', `v1/claims/${id}`);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}
