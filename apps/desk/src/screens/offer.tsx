import { Section } from '@svc/web-app/components/facts';
import { Field } from '@svc/web-app/components/field';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { lazy } from '@svc/web-app/components/lazy';
import { LoadMore } from '@svc/web-app/components/load-more';
import { Select } from '@svc/web-app/components/select';
import { Button } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { adjusters, answerTime, dateTime, desk, offers, texts } from '../app.ts';
import { type ActProps, ClaimPoints, changeDraft, closeDraft } from '../components/act.tsx';
import type { BoardAdjuster } from '../endpoints.ts';
import {
  type Act,
  CANDIDATE_ORDERS,
  candidates,
  canTake,
  displayName,
  outcomeText,
} from '../state/offers.ts';

const MAX_SHOWN = 50;

const EndDialog = lazy(async () => (await import('./end.tsx')).EndDialog);

/** The dialog of what is being prepared. */
export function ActDialog(props: ActProps) {
  const { kind = 'offer' } = offers.draft.value ?? {};
  return kind === 'offer' ? <OfferDialog {...props} /> : <EndDialog {...props} kind={kind} />;
}

/** Chooses the adjuster to offer claims to. */
function OfferDialog(props: ActProps) {
  const words = texts.value.offer;
  const { typed = '', chosen: chosenId } = offers.draft.value ?? {};
  const [forClaim, setForClaim] = useState<ReadonlyMap<string, BoardAdjuster>>(new Map());
  useEffect(() => {
    void desk.readAdjusters();
    const [claim, ...others] = props.claims;
    if (claim === undefined || others.length > 0) return;
    desk.readCandidates(claim).then(setForClaim, desk.showRefusal);
  }, []);
  const all = adjusters.rows.value?.map((one) => forClaim.get(one.svc_id) ?? one);
  // Of several claims, what the board knows: the latest offer of each.
  const latest = props.claims.filter(({ status }) => status === 'rejected');
  const rejecters = new Map<string, string | null>([
    ...latest.map(({ adjuster_svc_id }) => [adjuster_svc_id, null] as const),
    ...[...forClaim].flatMap(([svcId, { rejected_at }]) =>
      rejected_at === null ? [] : [[svcId, rejected_at] as const],
    ),
  ]);
  const { choice: order, choose: chooseOrder } = desk.candidateOrder;
  const found = candidates(all ?? [], typed, (svcId) => rejecters.has(svcId), order.value);
  const chosen = all?.find(({ svc_id }) => svc_id === chosenId);
  const { length: ending } = props.claims.filter(
    (claim) => claim.status === 'pending_acceptance' && claim.adjuster_svc_id !== chosen?.svc_id,
  );
  const rejected = (at: string | null): string =>
    at === null ? words.rejectedThis : words.rejected(dateTime(at));
  const submit = (): void => {
    if (chosen === undefined) return;
    void offers.offer(props.claims, chosen);
    closeDraft();
    props.done?.();
  };
  return (
    <FormDialog
      title={words.title(props.claims.length)}
      act={chosen === undefined ? texts.value.board.offer : words.confirm(displayName(chosen))}
      {...{ disabled: chosen === undefined, close: closeDraft, submit, focusAfter: props.focusAfter }}
    >
      <ClaimPoints claims={props.claims} />
      <p role="status">{ending > 0 && words.ending(ending, props.claims.length)}</p>
      <Field
        label={words.find}
        name="find"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => changeDraft({ typed: currentTarget.value })}
      />
      <Select
        label={texts.value.board.sort}
        options={CANDIDATE_ORDERS}
        value={order.value}
        name={(one) => words.orders[one]}
        choose={chooseOrder}
      />
      <fieldset class="choices">
        <legend>{texts.value.reports.groups.adjuster}</legend>
        {found.slice(0, MAX_SHOWN).map((adjuster) => (
          <label key={adjuster.svc_id} class="choice">
            <input
              type="radio"
              name="adjuster"
              checked={chosenId === adjuster.svc_id}
              onChange={() => changeDraft({ chosen: adjuster.svc_id })}
            />
            <span>
              <span class="strong">{displayName(adjuster)}</span> {adjuster.svc_id}{' '}
              {rejecters.has(adjuster.svc_id) && (
                <span class="pill error">{rejected(rejecters.get(adjuster.svc_id) ?? null)}</span>
              )}
              <CandidateFacts {...{ adjuster }} />
            </span>
          </label>
        ))}
        {found.length === 0 && all !== undefined && <p class="muted">{texts.value.none}</p>}
        <LoadMore list={adjusters} />
      </fieldset>
    </FormDialog>
  );
}

export const WarningPills = ({ of }: { readonly of: readonly string[] }) => (
  <>
    {of.map((warning) => (
      <span key={warning} class="pill warning">
        {texts.value.offer.warnings[warning] ?? warning}
      </span>
    ))}
  </>
);

/** What a person may want to know before a claim is offered to the adjuster. */
export function CandidateFacts({ adjuster }: { readonly adjuster: BoardAdjuster }) {
  const words = texts.value.offer;
  const { distance, median_answer_seconds: median, warnings } = adjuster;
  const facts = [
    words.load(adjuster.open_offers, adjuster.open_claims),
    ...(median === null ? [] : [words.answers(answerTime(median))]),
    ...(distance === null ? [] : [words.miles(distance)]),
  ];
  return (
    <>
      <WarningPills of={warnings} />
      <span class="line muted">{canTake(adjuster) ? facts.join(' · ') : words.notAccepting}</span>
    </>
  );
}

/** What became of the acts of this visit, or of those with one claim. */
export function OfferResults({ of }: { readonly of?: string }) {
  // Those with which nothing was done first.
  const acts = offers.acts.value
    .filter(({ claim }) => of === undefined || claim.id === of)
    .toSorted((one, other) => Number(one.state === 'done') - Number(other.state === 'done'));
  if (acts.length === 0) return null;
  return (
    <Section title={texts.value.offer.results}>
      <ul class="choices offer-results">
        {acts.map((act) => (
          <li key={act.claim.id} class="row spread" data-state={act.state}>
            <a href={`#/claims/${act.claim.id}`}>
              {[act.claim.name, act.claim.claim_number].filter(Boolean).join(' · ')}
            </a>
            <span>{outcomeText(act, texts.value)}</span>
          </li>
        ))}
      </ul>
      {of !== undefined && <AfterActs acts={acts} />}
    </Section>
  );
}

/** What can be done about the outcomes. */
export function AfterActs({ acts }: { readonly acts: readonly Act[] }) {
  return (
    <div class="row">
      {acts.some(({ state }) => state === 'unknown') && (
        <Button kind="primary" onClick={() => void offers.retry()}>
          {texts.value.network.tryAgain}
        </Button>
      )}
      {acts.some(({ kind, state }) => kind === 'withdraw' && state === 'done') && (
        <Button onClick={() => void offers.undo()}>{texts.value.offer.undo}</Button>
      )}
      {acts.some(({ state }) => state !== 'sending') && (
        <Button onClick={offers.dismiss}>{texts.value.offer.dismiss}</Button>
      )}
    </div>
  );
}
