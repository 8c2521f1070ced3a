import { Section } from '@svc/web-app/components/facts';
import { Field } from '@svc/web-app/components/field';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { LoadMore } from '@svc/web-app/components/load-more';
import { Button } from '@svc/web-app/components/ui';
import { useEffect, useRef, useState } from 'preact/hooks';
import { adjusters, dateTime, desk, offers, texts } from '../app.ts';
import { candidates, canTake, displayName, type OfferedClaim, outcomeText } from '../state/offers.ts';

const MAX_SHOWN = 50;

/** Chooses the adjuster to offer claims to. */
export function OfferDialog(props: {
  readonly claims: readonly OfferedClaim[];
  readonly done?: () => void;
  readonly focusAfter?: () => HTMLElement | undefined;
}) {
  const words = texts.value.offer;
  const { typed = '', chosen: chosenId } = offers.draft.value ?? {};
  const change = (changes: { readonly typed?: string; readonly chosen?: string }): void => {
    const { value: draft } = offers.draft;
    if (draft !== undefined) offers.draft.value = { ...draft, ...changes };
  };
  const close = (): void => {
    offers.draft.value = undefined;
  };
  const [rejecters, setRejecters] = useState<ReadonlyMap<string, string | null>>(new Map());
  useEffect(() => {
    void desk.readAdjusters();
    // Of several claims, what the board knows: the latest offer of each.
    const latest = props.claims.filter(({ status }) => status === 'rejected');
    setRejecters(new Map(latest.map(({ adjuster_svc_id }) => [adjuster_svc_id, null])));
    const [claim, ...others] = props.claims;
    if (claim === undefined || others.length > 0) return;
    desk.readRejecters(claim).then(setRejecters, desk.showRefusal);
  }, []);
  const { value: all } = adjusters.rows;
  const found = candidates(all ?? [], typed, (svcId) => rejecters.has(svcId));
  const chosen = all?.find(({ svc_id }) => svc_id === chosenId);
  const { length: ending } = props.claims.filter(
    (claim) => claim.status === 'pending_acceptance' && claim.adjuster_svc_id !== chosen?.svc_id,
  );
  const rejected = (at: string | null): string =>
    at === null ? words.rejectedThis : words.rejected(dateTime(at));
  const submit = (): void => {
    if (chosen === undefined) return;
    void offers.offer(props.claims, chosen);
    close();
    props.done?.();
  };
  return (
    <FormDialog
      title={words.title(props.claims.length)}
      act={chosen === undefined ? texts.value.board.offer : words.confirm(displayName(chosen))}
      {...{ disabled: chosen === undefined, close, submit, focusAfter: props.focusAfter }}
    >
      <ul class="points">
        {props.claims.slice(0, 5).map(({ id, name, claim_number }) => (
          <li key={id}>
            {name} · {claim_number}
          </li>
        ))}
        {props.claims.length > 5 && <li>+{props.claims.length - 5}</li>}
      </ul>
      <p role="status">{ending > 0 && words.ending(ending, props.claims.length)}</p>
      <Field
        label={words.find}
        name="find"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => change({ typed: currentTarget.value })}
      />
      <fieldset class="choices">
        <legend>{texts.value.reports.groups.adjuster}</legend>
        {found.slice(0, MAX_SHOWN).map((adjuster) => (
          <label key={adjuster.svc_id} class="choice">
            <input
              type="radio"
              name="adjuster"
              checked={chosenId === adjuster.svc_id}
              onChange={() => change({ chosen: adjuster.svc_id })}
            />
            <span>
              <span class="strong">{displayName(adjuster)}</span> {adjuster.svc_id}{' '}
              {rejecters.has(adjuster.svc_id) && (
                <span class="pill error">{rejected(rejecters.get(adjuster.svc_id) ?? null)}</span>
              )}
              <span class="line muted">
                {canTake(adjuster)
                  ? words.load(adjuster.open_offers, adjuster.open_claims)
                  : words.notAccepting}
              </span>
            </span>
          </label>
        ))}
        {found.length === 0 && all !== undefined && <p class="muted">{texts.value.none}</p>}
        <LoadMore list={adjusters} />
      </fieldset>
    </FormDialog>
  );
}

/** What became of the offers of this visit, or of those of one claim. */
export function OfferResults({ of }: { readonly of?: string }) {
  const words = texts.value.offer;
  // Those that were not offered first.
  const acts = offers.acts.value
    .filter(({ claim }) => of === undefined || claim.id === of)
    .toSorted((one, other) => Number(one.state === 'offered') - Number(other.state === 'offered'));
  const failed = acts.filter(({ state }) => state === 'unknown' || state === 'refused').length;
  const shown = useRef(failed);
  useEffect(() => {
    if (shown.current === 0 && failed > 0) document.querySelector('.offer-results')?.scrollIntoView();
    shown.current = failed;
  }, [failed]);
  if (acts.length === 0) return null;
  return (
    <Section title={words.results}>
      <ul class="choices offer-results">
        {acts.map((act) => (
          <li key={act.claim.id} class="row spread" data-state={act.state}>
            <a href={`#/claims/${act.claim.id}`}>
              {act.claim.name} · {act.claim.claim_number}
            </a>
            <span>{outcomeText(act, texts.value)}</span>
          </li>
        ))}
      </ul>
      <div class="row">
        {acts.some(({ state }) => state === 'unknown') && (
          <Button kind="primary" onClick={() => void offers.retry()}>
            {texts.value.network.tryAgain}
          </Button>
        )}
        {acts.some(({ state }) => state !== 'sending') && (
          <Button onClick={offers.dismiss}>{texts.value.close}</Button>
        )}
      </div>
    </Section>
  );
}
