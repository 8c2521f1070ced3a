import { Button, Note } from '@svc/web-app/components/ui';
import { clockTime, outbox, showError, texts } from '../app.ts';
import type { Entry } from '../outbox/entry.ts';

/** Why entries are not sent, where it is not the network; undefined where it is. */
export function problemOf(entries: readonly Entry[]): string | undefined {
  const words = texts.value.outbox;
  const stuck = entries.find((entry) => outbox.entryState(entry) === 'stuck');
  const failing = stuck ?? entries.find((entry) => outbox.entryState(entry) === 'failing');
  if (failing === undefined) return undefined;
  const nextAt = clockTime(failing.notBefore ?? failing.at);
  return stuck === undefined ? words.failing(nextAt) : words.stuck(nextAt);
}

/** What was sent in vain is canceled: nobody can say whether it has arrived. */
export const undoLabel = (entries: readonly Entry[]): string =>
  entries.some(({ failures = 0 }) => failures > 0) ? texts.value.outbox.cancel : texts.value.claim.undo;

/** Sends what waits, whatever was awaited. */
export const SendNow = ({
  entries,
  kind = 'neutral',
}: {
  entries: readonly Entry[];
  kind?: 'quiet' | 'neutral';
}) => (
  <Button
    kind={kind}
    busy={outbox.isSending.value}
    onClick={() => void outbox.sendNow(entries.map(({ id }) => id)).catch(showError)}
  >
    {texts.value.outbox.sendNow}
  </Button>
);

/** Beside what is still on the device. `waits`: what is said where only the network is missing. */
export function NotSentYet({ entries, waits }: { entries: readonly Entry[]; waits: string }) {
  const problem = problemOf(entries);
  // A claim is not closed without what was to be saved before.
  const stopped = entries.filter(
    (entry) => (entry.failures ?? 0) > 0 || (entry.kind === 'work' && entry.close === true),
  );
  return (
    <Note kind="warning" icon="cloud">
      <p role="status">
        <strong>{texts.value.offers.queued}.</strong> {problem ?? waits}
      </p>
      <SendNow kind="quiet" entries={entries} />
      {problem !== undefined && (
        <Button kind="quiet" onClick={() => void outbox.cancel(stopped.map(({ id }) => id)).catch(showError)}>
          {texts.value.outbox.cancel}
        </Button>
      )}
    </Note>
  );
}
