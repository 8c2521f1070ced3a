import { computed, signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import {
  releaseHeldAnswers,
  type SentAnswers,
  sendQueuedAnswers,
  withdrawQueuedAnswer,
} from '../data/answer-queue.ts';
import { outcomes, queuedAnswers } from '../data/storage.ts';
import { titleOf } from '../format.ts';
import {
  type AnswerResult,
  type AnswerState,
  answerState,
  canUndo,
  lastGiven,
  nextDueAt,
  type QueuedAnswer,
} from '../model/answer-sender.ts';
import { currentHash } from '../navigation.ts';
import { texts } from './language.ts';
import { lists, refresh } from './lists.ts';
import { preferences } from './preferences.ts';
import { expire, session } from './session.ts';
import { showError, showResult, showToast } from './toast.ts';

/** Several offers answered at once, and each of their results once it is known. */
export interface Batch {
  readonly answer: QueuedAnswer['answer'];
  readonly claims: readonly { readonly id: string; readonly title: string }[];
}

export const answers = {
  /** Answers of this adjuster that have not reached the service yet. */
  queued: signal<readonly QueuedAnswer[]>([]),
  /** Results of the answers of this visit, by claim. */
  results: signal<Readonly<Record<string, AnswerResult>>>({}),
  batch: signal<Batch | null>(null),
  /** The time by which answers are held or due; moves when the next one is due. */
  at: signal(Date.now()),
};

export const queuedAnswerTo = (claimId: string): QueuedAnswer | undefined =>
  answers.queued.value.find((one) => one.claimId === claimId);

export const stateOf = (answer: QueuedAnswer | undefined): AnswerState =>
  answerState(answer, answers.at.value);

/** Answers that can still be taken back before they are sent. */
export const heldAnswers = computed(() => answers.queued.value.filter((one) => stateOf(one) === 'held'));
export const undoableAnswers = computed(() => lastGiven(heldAnswers.value));
export const unsentAnswers = computed(() => answers.queued.value.filter((one) => stateOf(one) !== 'held'));

/** Open offers without those that are answered. */
export const openOffers = computed(() => {
  const answered = new Set(answers.queued.value.map(({ claimId }) => claimId));
  return lists.offers.value?.filter(({ id }) => !answered.has(id));
});

/** Stores the answers before they are sent, so that they survive a dead spot and a closed page. */
export async function answerOffers(
  claims: readonly AppClaim[],
  answer: QueuedAnswer['answer'],
  reason?: string,
): Promise<void> {
  const svcId = session.profile.value?.svc_id;
  if (svcId === undefined) return;
  const now = Date.now();
  const undoMs = preferences.value.undoSeconds * 1000;
  for (const claim of claims) {
    await queuedAnswers.put({
      claimId: claim.id,
      answer,
      ...(reason !== undefined && { reason }),
      svcId,
      title: titleOf(claim),
      firm: claim.firm.name,
      offeredAt: claim.offered_at,
      at: now,
      ...(undoMs > 0 && { sendAt: now + undoMs }),
    });
  }
  answers.batch.value =
    claims.length > 1
      ? { answer, claims: claims.map((claim) => ({ id: claim.id, title: titleOf(claim) })) }
      : null;
  await readQueue();
  if (undoMs === 0) void sendDue().catch(showError);
}

/** Sends what is due and shows when that was not possible. */
async function sendDue(): Promise<void> {
  const due = unsentAnswers.value;
  if ((await sendQueue()) !== 'offline') return;
  sendInBackground();
  const [first] = due;
  // The claim itself shows that its answer waits.
  if (first === undefined || currentHash.peek() === `#/claims/${first.claimId}`) return;
  const { claim, offers } = texts.value;
  const one = first.answer === 'accept' ? claim.queuedAccept : claim.queuedReject;
  showResult(due.length === 1 ? one : offers.queuedCount(due.length), 'neutral');
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Waits for the next answer whose undo time is over. */
function waitForDue(): void {
  clearTimeout(timer);
  answers.at.value = Date.now();
  const at = nextDueAt(answers.queued.value, Date.now());
  if (at === undefined) return;
  timer = setTimeout(() => {
    waitForDue();
    void sendDue();
  }, at - Date.now());
}

/** The page is hidden and may be closed: nothing is held back any longer. */
export async function releaseAnswers(): Promise<void> {
  if (heldAnswers.value.length === 0) return;
  await releaseHeldAnswers();
  await readQueue();
  if ((await sendQueue()) === 'offline') sendInBackground();
}

export async function undoAnswers(claimIds: readonly string[]): Promise<void> {
  const removed = await Promise.all(claimIds.map(withdrawQueuedAnswer));
  answers.batch.value = null;
  await readQueue();
  const sent = removed.filter((isRemoved) => !isRemoved).length;
  if (sent === 0) return showToast(texts.value.claim.undone);
  // A result, since the service's own result is added to it.
  showResult(texts.value.claim.undoneTooLate(sent), 'neutral');
  void sendQueue();
}

export const isUndoable = (answer: QueuedAnswer): boolean => canUndo(stateOf(answer));

export async function readQueue(): Promise<void> {
  const all = await queuedAnswers.all();
  answers.queued.value = all.filter(({ svcId }) => svcId === session.profile.value?.svc_id);
  waitForDue();
}

export async function sendQueue(): Promise<SentAnswers> {
  waitForDue();
  if (unsentAnswers.value.length === 0) return 'sent';
  const result = await sendQueuedAnswers();
  session.reachable.value = result !== 'offline';
  if (result === 'signed out') expire();
  if (result === 'passkey required') session.needsPasskey.value = true;
  await readQueue();
  await showOutcomes();
  if (result === 'sent') await refresh();
  return result;
}

/** Shows the results of answers, including those that the service worker has sent. */
export async function showOutcomes(): Promise<void> {
  const { offers } = lists;
  const inBatch = new Set(answers.batch.value?.claims.map(({ id }) => id));
  for (const { claimId, result, title } of await outcomes.take().catch(() => [])) {
    answers.results.value = { ...answers.results.value, [claimId]: result };
    if (result === 'rejected' || result === 'gone')
      offers.value = offers.value?.filter(({ id }) => id !== claimId);
    const success = result === 'accepted' || result === 'rejected';
    if (!inBatch.has(claimId))
      showResult(texts.value.outcomes[result](title), success ? 'success' : 'neutral');
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
  answers.batch.value = null;
});
lists.onCurrent.push(() => {
  if (unsentAnswers.value.length > 0) void sendQueue();
});
