import { Field } from '@svc/web-app/components/field';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { LoadMore } from '@svc/web-app/components/load-more';
import { Button, TestBadge } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { adjusters, desk, environment, offers, texts } from '../app.ts';
import type { BoardAdjuster } from '../endpoints.ts';
import { candidates, canTake, type OfferedClaim } from '../state/offers.ts';

const MAX_SHOWN = 50;

/** Chooses the adjuster to offer claims to. */
export function OfferDialog(props: {
  readonly claims: readonly OfferedClaim[];
  readonly close: () => void;
  readonly done: () => void;
}) {
  const words = texts.value.offer;
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<BoardAdjuster>();
  useEffect(() => void adjusters.restart(), []);
  const { value: all } = adjusters.rows;
  const found = candidates(all ?? [], typed, environment.value === 'test');
  const submit = (): void => {
    if (chosen === undefined) return;
    void offers.offer(props.claims, chosen);
    props.done();
  };
  return (
    <FormDialog
      title={words.title(props.claims.length)}
      act={chosen === undefined ? texts.value.board.offer : words.confirm(chosen.name ?? chosen.svc_id)}
      {...{ disabled: chosen === undefined, close: props.close, submit }}
    >
      <ul class="points">
        {props.claims.slice(0, 5).map(({ id, name, claim_number }) => (
          <li key={id}>
            {name} · {claim_number}
          </li>
        ))}
        {props.claims.length > 5 && <li>+{props.claims.length - 5}</li>}
      </ul>
      <Field
        label={words.find}
        name="find"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <fieldset class="choices">
        <legend>{words.to}</legend>
        {found.slice(0, MAX_SHOWN).map((adjuster) => (
          <label key={adjuster.svc_id} class="choice">
            <input
              type="radio"
              name="adjuster"
              checked={chosen?.svc_id === adjuster.svc_id}
              onChange={() => setChosen(adjuster)}
            />
            <span>
              <span class="strong">{adjuster.name ?? adjuster.svc_id}</span>{' '}
              <TestBadge test={adjuster.test} />
              <span class="line muted">
                {canTake(adjuster)
                  ? words.load(adjuster.open_offers, adjuster.open_claims)
                  : words.notAccepting}
              </span>
            </span>
          </label>
        ))}
        {found.length === 0 && !adjusters.isReading.value && <p class="muted">{words.none}</p>}
        <LoadMore list={adjusters} />
      </fieldset>
    </FormDialog>
  );
}

/** What became of the offers of this visit. */
export function OfferResults() {
  const words = texts.value.offer;
  const acts = offers.acts.value;
  const ended = acts.filter(({ state }) => state !== 'sending');
  const outcome = ({ state, adjuster, code }: (typeof acts)[number]): string => {
    if (state === 'offered') return words.offered(adjuster.name ?? adjuster.svc_id);
    if (state === 'refused') return desk.refusalText(code ?? '');
    return state === 'unknown' ? words.unknown : words.sending;
  };
  return (
    <section class="card" aria-label={words.results}>
      <h2>{words.results}</h2>
      <p role="status">{words.progress(ended.length, acts.length)}</p>
      <ul class="choices">
        {acts.map((act) => (
          <li key={act.claim.id} class="row spread" data-state={act.state}>
            <a href={`#/claims/${act.claim.id}`}>{act.claim.name}</a>
            <span>{outcome(act)}</span>
          </li>
        ))}
      </ul>
      <div class="row">
        {acts.some(({ state }) => state === 'unknown') && (
          <Button kind="primary" onClick={() => void offers.retry()}>
            {words.retry}
          </Button>
        )}
        {ended.length > 0 && <Button onClick={offers.dismiss}>{words.dismiss}</Button>}
      </div>
    </section>
  );
}
