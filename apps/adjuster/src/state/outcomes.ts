import { signal } from '@preact/signals';
import { notifyTabs } from '../data/outbox.ts';
import { outcomes, storage } from '../data/storage.ts';
import { currentHash } from '../navigation.ts';
import { type AnswerResult, isLost, type Outcome } from '../outbox/answers.ts';
import { texts } from './language.ts';
import { lists } from './lists.ts';
import { session } from './session.ts';
import { showResults, toast } from './toast.ts';

/** Results that stay until the adjuster dismisses them: what was lost, and answers that were given together. */
export const keptOutcomes = signal<readonly Outcome[]>([]);
/** Results of the answers of this visit, by claim. */
export const results = signal<Readonly<Record<string, AnswerResult>>>({});

/** Those that this page has shown. */
const shown = new Set<string>();
/** What the toast says: a later result does not hide an earlier one. */
let said: { readonly notes: readonly string[]; readonly outcomes: readonly Outcome[] };

/** Says what has happened to answers, beside the results that are shown. */
export function say(note: string | undefined, fresh: readonly Outcome[] = []): void {
  const { notes, outcomes: earlier } = toast.peek()?.screen === null ? said : { notes: [], outcomes: [] };
  said = { notes: note === undefined ? notes : [...notes, note], outcomes: [...earlier, ...fresh] };
  const isSuccess = said.notes.length === 0 && !said.outcomes.some(isLost);
  const lines = said.outcomes.length > MAX_LINES ? [summaryOf(said.outcomes)] : said.outcomes.map(lineOf);
  showResults([...said.notes, ...lines], isSuccess ? 'success' : 'neutral');
}

export const isKept = (outcome: Outcome): boolean => outcome.isOneOfMany || isLost(outcome);

export const lineOf = ({ result, title }: Outcome): string => texts.value.outcomes[result](title);

/** How many answers had which result. */
export function summaryOf(found: readonly Outcome[]): string {
  const count = (result: AnswerResult) => found.filter((one) => one.result === result).length;
  return texts.value.outcomes.summary(count('accepted'), count('rejected'), found.filter(isLost).length);
}

/** More results than this are one line. */
export const MAX_LINES = 2;

/** Shows the results of answers, including those that another tab or the service worker has sent. */
export async function showOutcomes(): Promise<void> {
  const stored = await storage.get('outcomes').catch(() => undefined);
  const all = stored ?? [];
  keptOutcomes.value = all.filter(isKept);
  const keyOf = ({ claimId, at }: Outcome): string => `${claimId} ${at}`;
  const fresh = all.filter((outcome) => !shown.has(keyOf(outcome)));
  if (fresh.length === 0) return;
  for (const outcome of fresh) shown.add(keyOf(outcome));
  results.value = {
    ...results.value,
    ...Object.fromEntries(fresh.map(({ claimId, result }) => [claimId, result])),
  };
  const over = new Set(
    fresh.flatMap((one) => (['rejected', 'gone'].includes(one.result) ? one.claimId : [])),
  );
  if (over.size > 0) lists.offers.value = lists.offers.value?.filter(({ id }) => !over.has(id));
  // The list of offers shows those that stay.
  const unseen = currentHash.peek() === '#/' ? fresh.filter((outcome) => !isKept(outcome)) : fresh;
  if (unseen.length > 0) say(undefined, unseen);
  await dismiss(fresh.filter((outcome) => !isKept(outcome)));
}

async function dismiss(over: readonly Outcome[]): Promise<void> {
  if (over.length > 0) await outcomes.dismiss(new Set(over.map(({ claimId }) => claimId))).catch(() => {});
}

export async function dismissOutcomes(): Promise<void> {
  await dismiss(keptOutcomes.value);
  keptOutcomes.value = [];
  notifyTabs({ kind: 'outbox' });
}

session.onForget.push(() => {
  results.value = {};
  keptOutcomes.value = [];
});
