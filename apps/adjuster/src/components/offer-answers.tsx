import type { AppClaim } from '@svc/contract';
import { ActionBar, Button, TapGuard } from '@svc/web-app/components/ui';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { answers, outcomes, showError, texts } from '../app.ts';
import { offerLabel } from '../model/history.ts';
import { isLost, type Outcome } from '../outbox/answers.ts';
import { MAX_LINES } from '../state/outcomes.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { problemOf, SendNow, undoLabel } from './not-sent-yet.tsx';

/** Answers all selected offers. */
export function SelectionBar({ claims, done }: { claims: readonly AppClaim[]; done: () => void }) {
  const words = texts.value.offers;
  const [asked, setAsked] = useState<'accept' | 'reject' | null>(null);
  const answer = (reason?: string) => {
    if (asked !== null) void answers.answer(claims, asked, reason).catch(showError);
    done();
  };
  return (
    <ActionBar shows="selection">
      <Button disabled={claims.length === 0} onClick={() => setAsked('reject')}>
        {words.rejectCount(claims.length)}
      </Button>
      <Button kind="primary" disabled={claims.length === 0} onClick={() => setAsked('accept')}>
        {words.acceptCount(claims.length)}
      </Button>
      {asked !== null && (
        <BulkDialog kind={asked} claims={claims} close={() => setAsked(null)} confirm={answer} />
      )}
    </ActionBar>
  );
}

/** What came of the answers, until it is dismissed. What was lost is unfolded. */
export function Outcomes() {
  const words = texts.value.offers;
  const { value: kept } = outcomes.kept;
  const lost = kept.filter(isLost);
  const line = (outcome: Outcome) => (
    <li key={outcome.claimId}>
      {outcomes.lineOf(outcome)}
      {outcome.detail !== undefined && <span class="line muted">{outcome.detail}</span>}
    </li>
  );
  return (
    <section class="card outcomes" aria-label={words.results} role="status">
      <div class="row spread">
        <details open={kept.length <= MAX_LINES}>
          <summary>
            {words.results}: {outcomes.summaryOf(kept)}
          </summary>
          <ul class="stack">{kept.filter((one) => !isLost(one)).map(line)}</ul>
        </details>
        <Button kind="quiet" onClick={() => void outcomes.dismiss().catch(showError)}>
          {words.dismiss}
        </Button>
      </div>
      {lost.length > 0 && <Folded count={lost.length}>{lost.map(line)}</Folded>}
    </section>
  );
}

const MAX_UNFOLDED = 3;

/** A list, which is folded when it would fill the screen. */
function Folded({ count, children }: { count: number; children: ComponentChildren }) {
  const list = <ul class="stack">{children}</ul>;
  if (count <= MAX_UNFOLDED) return list;
  return (
    <details>
      <summary>{texts.value.offers.showAll(count)}</summary>
      {list}
    </details>
  );
}

/** Answers that wait for the network or the service. */
export function UnsentAnswers() {
  const words = texts.value;
  const unsent = answers.unsent.value;
  return (
    <section class="card queued-answers" aria-labelledby="queued-answers">
      <h2 id="queued-answers">{words.offers.queued}</h2>
      <p class="muted">{problemOf(unsent) ?? words.offers.queuedMore}</p>
      {/* The next answer takes the place of one that was taken back or sent. */}
      <TapGuard shows={unsent.map(({ key }) => key).join()}>
        <Folded count={unsent.length}>
          {unsent.map((one) => (
            <li key={one.id}>
              <span>
                <a href={`#/claims/${one.key}`}>
                  {one.answer === 'accept' ? words.claim.accept : words.claim.reject}: {one.title}
                </a>
                <span class="line muted">{offerLabel(one.offer)}</span>
              </span>
              {answers.isUndoable(one) && (
                <Button kind="quiet" onClick={() => void answers.undo([one.key])}>
                  {undoLabel([one])}
                </Button>
              )}
            </li>
          ))}
        </Folded>
      </TapGuard>
      <SendNow kind="quiet" entries={unsent} />
    </section>
  );
}
