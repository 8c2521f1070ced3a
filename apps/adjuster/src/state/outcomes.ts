import { type ReadonlySignal, signal } from '@preact/signals';
import type { Line, Toasts } from '@svc/web-app/toasts';
import type { Storage } from '../data/storage.ts';
import type { Tabs } from '../data/tabs.ts';
import { type AnswerResult, isEnded, isLost, type Outcome } from '../outbox/answers.ts';
import type { Texts } from '../texts/en.ts';
import type { Lists } from './lists.ts';

/** More results than this are one line. */
export const MAX_LINES = 2;

const keyOf = ({ claimId, at }: Outcome): string => `${claimId} ${at}`;

/** A line that is true until results arrive, such as that an answer waits, or one that stays beside them. */
interface Note {
  readonly line: Line;
  readonly untilResults: boolean;
}

/** What came of the answers, including those that another tab or the service worker has sent. */
export function createOutcomes(deps: {
  readonly storage: Storage;
  readonly tabs: Tabs;
  readonly texts: ReadonlySignal<Texts>;
  readonly currentHash: ReadonlySignal<string>;
  readonly lists: Lists;
  readonly toasts: Toasts;
}) {
  const { storage, texts, lists, toasts } = deps;
  /** They stay until the adjuster dismisses them. */
  const kept = signal<readonly Outcome[]>([]);
  /** Results of the answers of this visit, by claim. */
  const results = signal<Readonly<Record<string, AnswerResult>>>({});
  /** Those that this page has shown. */
  const shown = new Set<string>();
  /** What the toast says: a later result does not hide an earlier one. */
  let said: { readonly notes: readonly Note[]; readonly outcomes: readonly Outcome[] };

  const lineOf = ({ result, title }: Outcome): string => texts.value.outcomes[result](title);
  /** How many answers had which result. */
  function summaryOf(found: readonly Outcome[]): string {
    const count = (result: AnswerResult) => found.filter((one) => one.result === result).length;
    return texts.value.outcomes.summary(count('accepted'), count('rejected'), found.filter(isLost).length);
  }

  /** Says what has happened to answers, beside the results that are shown. */
  function say(note: Note | undefined, fresh: readonly Outcome[] = []): void {
    const earlier = toasts.toast.peek()?.screen === null ? said : { notes: [], outcomes: [] };
    const notes = earlier.notes.filter(({ untilResults }) => !untilResults);
    said = {
      notes: note === undefined ? notes : [...notes, note],
      outcomes: [...earlier.outcomes, ...fresh],
    };
    const { outcomes } = said;
    const isSuccess = said.notes.length === 0 && !outcomes.some(isLost);
    const lines =
      outcomes.length > MAX_LINES ? [() => summaryOf(outcomes)] : outcomes.map((one) => () => lineOf(one));
    toasts.showResults([...said.notes.map(({ line }) => line), ...lines], isSuccess ? 'success' : 'neutral');
  }

  return {
    kept,
    results,
    lineOf,
    summaryOf,
    say: (line: Line, untilResults = false): void => say({ line, untilResults }),

    async show(): Promise<void> {
      const all = await storage.outcomes.read();
      kept.value = all;
      const fresh = all.filter((outcome) => outcome.isSeen !== true && !shown.has(keyOf(outcome)));
      if (fresh.length === 0) return;
      for (const outcome of fresh) shown.add(keyOf(outcome));
      results.value = {
        ...results.value,
        ...Object.fromEntries(fresh.map(({ claimId, result }) => [claimId, result])),
      };
      const isOver = (outcome: Outcome): boolean => outcome.result === 'rejected' || isEnded(outcome);
      lists.removeOffers(new Set(fresh.filter(isOver).map(({ claimId }) => claimId)));
      // The list of offers shows them, above the offers.
      if (deps.currentHash.peek() !== '#/') say(undefined, fresh);
      await storage.outcomes.see(fresh);
    },

    async dismiss(): Promise<void> {
      const ids = new Set(kept.value.map(({ claimId }) => claimId));
      kept.value = [];
      await storage.outcomes.dismiss(ids);
      deps.tabs.notify({ kind: 'outbox' });
    },

    forget(): void {
      storage.outcomes.forget();
      results.value = {};
      kept.value = [];
    },
  };
}
export type Outcomes = ReturnType<typeof createOutcomes>;
