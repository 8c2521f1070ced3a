import type { AppClaim } from '@svc/contract';
import { call, Refusal, Unreachable } from './api.ts';
import { kept, type Outcome, type WaitingAnswer, waitingAnswers } from './kept.ts';

/** Pages and the service worker tell each other what has changed. */
export const news = (): BroadcastChannel => new BroadcastChannel('claims');
export type News = { readonly kind: 'answers' } | { readonly kind: 'open'; readonly hash: string };

/** One at a time on the whole device, whichever tab or worker it is. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks.request('answers', work) as Promise<T>;

/**
 * Sends what waits, oldest first, and keeps what came of it. An answer goes only when the service has said what became
 * of it; one whose receipt was lost on the way is asked about, so that it counts once however often it was sent.
 *
 * @returns whether any still waits, and whether somebody has to sign in first.
 */
export const sendAnswers = (svcId: string | undefined): Promise<'sent' | 'waiting' | 'signed out'> =>
  alone(async () => {
    const own = (await waitingAnswers.all()).filter((one) => svcId === undefined || one.svcId === svcId);
    for (const answer of own) {
      try {
        const result = await send(answer);
        const outcomes = (await kept.get('outcomes')) ?? [];
        await kept.put('outcomes', [...outcomes, { claimId: answer.claimId, result, title: answer.title }]);
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
    if (error.code === 'not_found') return 'withdrawn';
    if (error.code !== 'offer_not_pending' && error.code !== 'claim_closed') return 'refused';
    return (await statusOf(claimId)) === wanted ? wanted : 'answered';
  }
}

async function statusOf(claimId: string): Promise<string> {
  try {
    return (await call<AppClaim>('GET', `v1/claims/${claimId}`)).assignment.status;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return 'unassigned';
    throw error;
  }
}
