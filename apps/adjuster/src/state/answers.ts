import { computed } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { titleOf } from '../format.ts';
import { pastOffer } from '../model/history.ts';
import { currentHash } from '../navigation.ts';
import { type AnswerContent, canCancel, type Entry } from '../outbox/entry.ts';
import { texts } from './language.ts';
import { lists } from './lists.ts';
import {
  cancelEntries,
  entries,
  entryState,
  onOffline,
  outbox,
  readOutbox,
  sendInBackground,
  sendOutbox,
} from './outbox.ts';
import { say } from './outcomes.ts';
import { preferences } from './preferences.ts';
import { showError, showToast } from './toast.ts';

export type Answer = Entry<AnswerContent>;

/** Answers of this adjuster that the service has not confirmed. */
export const queuedAnswers = computed(() =>
  entries.value.filter((entry): entry is Answer => entry.kind === 'answer'),
);
export const queuedAnswerTo = (claimId: string): Answer | undefined =>
  queuedAnswers.value.find(({ key }) => key === claimId);

/** Answers that can still be taken back before they are sent. */
const heldAnswers = computed(() => queuedAnswers.value.filter((one) => entryState(one) === 'held'));
export const unsentAnswers = computed(() => queuedAnswers.value.filter((one) => entryState(one) !== 'held'));
/** The answers that one tap gave last: an adjuster who decides quickly takes back one, and the earlier ones are sent. */
export const undoableAnswers = computed(() =>
  heldAnswers.value.filter(({ at }) => at === heldAnswers.value.at(-1)?.at),
);

/** Open offers without those that are answered. */
export const openOffers = computed(() => {
  const answered = new Set(queuedAnswers.value.map(({ key }) => key));
  return lists.offers.value?.filter(({ id }) => !answered.has(id));
});

/** Stores the answers before they are sent, so that they survive a dead spot and a closed page. */
export async function answerOffers(
  claims: readonly AppClaim[],
  answer: AnswerContent['answer'],
  reason?: string,
): Promise<void> {
  const contents = claims.map((claim) => ({
    ...({ kind: 'answer', key: claim.id, answer, reason, title: titleOf(claim) } as const),
    offeredAt: claim.offered_at,
    past: pastOffer(claim, 'rejected', Date.now(), reason),
    isOneOfMany: claims.length > 1,
  }));
  const undoMs = preferences.value.undoSeconds * 1000;
  await outbox.add(contents, undoMs);
  await readOutbox();
  if (undoMs === 0) void sendOutbox().catch(showError);
}

export async function undoAnswers(claimIds: readonly string[]): Promise<void> {
  const given = queuedAnswers.value.filter(({ key }) => claimIds.includes(key));
  const sent = await cancelEntries(given.map(({ id }) => id));
  if (sent === 0) return showToast(texts.value.claim.undone);
  say(texts.value.claim.undoneTooLate(sent));
  void sendOutbox();
}

/** Answers that were shown as waiting for a network. */
const announced = new Set<string>();
onOffline.push(() => {
  const waiting = unsentAnswers.value.filter(({ id }) => !announced.has(id));
  const [first] = waiting;
  if (first === undefined) return;
  for (const { id } of waiting) announced.add(id);
  sendInBackground();
  // The claim itself shows that its answer waits.
  if (currentHash.peek() === `#/claims/${first.key}`) return;
  const { claim, offers } = texts.value;
  const one = first.answer === 'accept' ? claim.queuedAccept : claim.queuedReject;
  say(waiting.length === 1 ? one : offers.queuedCount(waiting.length));
});

export const isUndoable = (answer: Answer): boolean => canCancel(answer, Date.now());
