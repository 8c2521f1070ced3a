import { computed, type ReadonlySignal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { titleOf } from '@svc/web-app/names';
import type { Toasts } from '@svc/web-app/toasts';
import { pastOffer } from '../model/history.ts';
import { type AnswerContent, canCancel, type Entry } from '../outbox/entry.ts';
import type { Texts } from '../texts/en.ts';
import type { Lists } from './lists.ts';
import type { AppOutbox } from './outbox.ts';
import type { Outcomes } from './outcomes.ts';
import type { Preferences } from './preferences.ts';

export type Answer = Entry<AnswerContent>;

export function createAnswers(deps: {
  readonly outbox: AppOutbox;
  readonly lists: Lists;
  readonly outcomes: Outcomes;
  readonly toasts: Toasts;
  readonly texts: ReadonlySignal<Texts>;
  readonly preferences: ReadonlySignal<Preferences>;
  readonly currentHash: ReadonlySignal<string>;
  readonly sendInBackground: () => void;
  readonly serviceNow: () => number;
}) {
  const { outbox, lists, outcomes, toasts, texts } = deps;
  /** Answers of this adjuster that the service has not confirmed. */
  const queued = computed(() => outbox.entries.value.filter((entry) => entry.kind === 'answer'));
  /** Answers that can still be taken back before they are sent. */
  const held = computed(() => queued.value.filter((one) => outbox.entryState(one) === 'held'));
  const unsent = computed(() => queued.value.filter((one) => outbox.entryState(one) !== 'held'));
  /** Answers that were shown as waiting for a network. */
  const announced = new Set<string>();

  return {
    queued,
    unsent,
    queuedTo: (claimId: string): Answer | undefined => queued.value.find(({ key }) => key === claimId),
    isUndoable: (answer: Answer): boolean => canCancel(answer, Date.now()),
    /** The answers that one tap gave last: an adjuster who decides quickly takes back one, and the earlier ones are sent. */
    undoable: computed(() => held.value.filter(({ at }) => at === held.value.at(-1)?.at)),
    /** Open offers without those that are answered. */
    openOffers: computed(() => {
      const answered = new Set(queued.value.map(({ key }) => key));
      return lists.offers.value?.filter(({ id }) => !answered.has(id));
    }),

    /** Stores the answers before they are sent, so that they survive a dead spot and a closed page. */
    async answer(
      claims: readonly AppClaim[],
      answer: AnswerContent['answer'],
      reason?: string,
    ): Promise<void> {
      const contents = claims.map((claim) => ({
        ...({
          kind: 'answer',
          key: claim.id,
          answer,
          title: titleOf(claim),
          answeredAt: deps.serviceNow(),
        } as const),
        offer: pastOffer(claim, 'rejected', Date.now(), reason),
      }));
      const undoMs = deps.preferences.value.undoSeconds * 1000;
      await outbox.add(contents, undoMs);
      void outbox.send().catch(toasts.showError);
    },

    async undo(claimIds: readonly string[]): Promise<void> {
      const given = queued.value.filter(({ key }) => claimIds.includes(key));
      const { late, asked, unknown } = await outbox.cancel(given.map(({ id }) => id));
      if (late === 0 && asked === 0) return toasts.showToast(() => texts.value.claim.undone);
      if (late > 0) outcomes.say(() => texts.value.claim.undoneTooLate(late));
      else if (unknown === 0) outcomes.say(() => texts.value.claim.undoneAsked);
      if (unknown > 0) outcomes.say(() => texts.value.claim.undoneUnknown);
      void outbox.send();
    },

    /** There is no network: says once of each answer that it waits. */
    announceWaiting(): void {
      if (unsent.value.length > 0) deps.sendInBackground();
      const waiting = unsent.value.filter(({ id }) => !announced.has(id));
      const [first] = waiting;
      if (first === undefined) return;
      for (const { id } of waiting) announced.add(id);
      // The claim itself shows that its answer waits.
      if (deps.currentHash.peek() === `#/claims/${first.key}`) return;
      outcomes.say(() => {
        const { claim, offers } = texts.value;
        const one = first.answer === 'accept' ? claim.queuedAccept : claim.queuedReject;
        return waiting.length === 1 ? one : offers.queuedCount(waiting.length);
      }, true);
    },
  };
}
