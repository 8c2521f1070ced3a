import { signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { sendQueuedAnswers, withdrawQueuedAnswer } from '../data/answer-queue.ts';
import { type Outcome, outcomes, type QueuedAnswer, queuedAnswers } from '../data/storage.ts';
import { titleOf } from '../format.ts';
import { texts } from './language.ts';
import { lists, refresh } from './lists.ts';
import { expire, session } from './session.ts';
import { showToast } from './toast.ts';

export const answers = {
  /** Answers of this adjuster that have not reached the service yet. */
  queued: signal<readonly QueuedAnswer[]>([]),
  /** Results of the answers of this visit, by claim. */
  results: signal<Readonly<Record<string, Outcome['result']>>>({}),
};

export const queuedAnswerTo = (claimId: string): QueuedAnswer | undefined =>
  answers.queued.value.find((one) => one.claimId === claimId);

/** Stores the answer before it is sent, so that it survives a dead spot and a closed page. */
export async function answerOffer(
  claim: AppClaim,
  answer: QueuedAnswer['answer'],
  reason?: string,
): Promise<void> {
  const svcId = session.profile.value?.svc_id;
  if (svcId === undefined) return;
  await queuedAnswers.put({
    claimId: claim.id,
    answer,
    ...(reason !== undefined && { reason }),
    svcId,
    title: titleOf(claim),
    firm: claim.firm.name,
    offeredAt: claim.offered_at,
    at: Date.now(),
  });
  await readQueue();
  if ((await sendQueue()) === 'offline') sendInBackground();
}

export async function undoAnswer(claimId: string): Promise<void> {
  const removed = await withdrawQueuedAnswer(claimId);
  await readQueue();
  if (removed) showToast(texts.value.claim.undone);
}

export async function readQueue(): Promise<void> {
  const all = await queuedAnswers.all();
  answers.queued.value = all.filter(({ svcId }) => svcId === session.profile.value?.svc_id);
}

export async function sendQueue(): Promise<'sent' | 'offline' | 'signed out'> {
  if (answers.queued.value.length === 0) return 'sent';
  const result = await sendQueuedAnswers();
  session.reachable.value = result !== 'offline';
  if (result === 'signed out') expire();
  await readQueue();
  await showOutcomes();
  if (result === 'sent') await refresh();
  return result;
}

/** Shows the results of answers, including those that the service worker has sent. */
export async function showOutcomes(): Promise<void> {
  const { offers } = lists;
  for (const { claimId, result, title } of await outcomes.take().catch(() => [])) {
    answers.results.value = { ...answers.results.value, [claimId]: result };
    if (result === 'rejected' || result === 'gone')
      offers.value = offers.value?.filter(({ id }) => id !== claimId);
    const success = result === 'accepted' || result === 'rejected';
    showToast(texts.value.outcomes[result](title), success ? 'success' : 'neutral', true);
  }
}

/** Has the browser wake the service worker once there is a network, where browsers can do that. */
function sendInBackground(): void {
  const ready = navigator.serviceWorker?.ready as
    | Promise<ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } }>
    | undefined;
  void ready?.then((registration) => registration.sync?.register('answers')).catch(() => {});
}

session.onForget.push(() => {
  answers.queued.value = [];
  answers.results.value = {};
});
lists.onRead.push(() => {
  if (answers.queued.value.length > 0) void sendQueue();
});
