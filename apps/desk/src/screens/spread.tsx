import { LIMITS } from '@svc/contract';
import { Field } from '@svc/web-app/components/field';
import { FormDialog } from '@svc/web-app/components/form-dialog';
import { LoadMore } from '@svc/web-app/components/load-more';
import { useEffect, useRef, useState } from 'preact/hooks';
import { adjusters, call, desk, environment, request, showError, texts } from '../app.ts';
import type { ProposedOffer } from '../endpoints.ts';
import { candidates, canTake, displayName } from '../state/offers.ts';
import { proposeOffers, type SpreadItem } from '../state/spread.ts';
import { CandidateFacts, WarningPills } from './offer.tsx';

const MAX_SHOWN = 50;

/** Chooses the adjusters who get the claims, and shows who gets which before it is done. */
export function SpreadDialog(props: {
  readonly items: readonly SpreadItem[];
  readonly ticked: readonly string[];
  readonly tick: (svcIds: readonly string[]) => void;
  /** Undefined until it was shown for those who are ticked. */
  readonly plan: readonly ProposedOffer[] | undefined;
  readonly show: (plan: readonly ProposedOffer[]) => void;
  /** What is done with the plan. */
  readonly act: string;
  readonly submit: () => void;
  readonly close: () => void;
  readonly focusAfter?: () => HTMLElement | undefined;
}) {
  const { items, ticked, plan, close, focusAfter } = props;
  const words = texts.value.spread;
  const [typed, setTyped] = useState('');
  /** A plan that arrives when the dialog is closed, or others are ticked, is not shown. */
  const wanted = useRef<readonly string[] | undefined>(ticked);
  wanted.current = ticked;
  useEffect(() => {
    void desk.readAdjusters();
    return () => {
      wanted.current = undefined;
    };
  }, []);
  const all = adjusters.rows.value ?? [];
  const found = candidates(all, typed).filter(canTake);
  const toggle = (svcId: string): void =>
    props.tick(ticked.includes(svcId) ? ticked.filter((one) => one !== svcId) : [...ticked, svcId]);
  const submit = async (): Promise<void> => {
    if (plan !== undefined) return props.submit();
    const show = (found: readonly ProposedOffer[]) => wanted.current === ticked && props.show(found);
    const query = { environment: environment.value };
    await proposeOffers((body) => request(() => call('spreadClaims', { query, body })), items, ticked).then(
      show,
      showError,
    );
  };
  return (
    <FormDialog
      title={words.act(items.length)}
      act={plan === undefined ? words.show : props.act}
      disabled={ticked.length === 0}
      {...{ close, submit, focusAfter }}
    >
      <p>{words.lead}</p>
      {plan !== undefined && <Plan {...{ plan, items }} />}
      <Field
        label={texts.value.offer.find}
        name="find"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <fieldset class="choices">
        <legend>{texts.value.reports.groups.adjuster}</legend>
        <p class="muted" role="status">
          {words.chosen(ticked.length, LIMITS.spreadAdjusters)}
        </p>
        {found.slice(0, MAX_SHOWN).map((adjuster) => (
          <label key={adjuster.svc_id} class="choice">
            <input
              type="checkbox"
              name="adjuster"
              checked={ticked.includes(adjuster.svc_id)}
              disabled={!ticked.includes(adjuster.svc_id) && ticked.length >= LIMITS.spreadAdjusters}
              onChange={() => toggle(adjuster.svc_id)}
            />
            <span>
              <span class="strong">{displayName(adjuster)}</span> {adjuster.svc_id}{' '}
              <CandidateFacts adjuster={adjuster} />
            </span>
          </label>
        ))}
        {found.length === 0 && adjusters.rows.value !== undefined && <p class="muted">{texts.value.none}</p>}
        <LoadMore list={adjusters} />
      </fieldset>
    </FormDialog>
  );
}

/** Who gets which, how many each, and what to know. */
function Plan(props: { readonly plan: readonly ProposedOffer[]; readonly items: readonly SpreadItem[] }) {
  const words = texts.value.spread;
  const names = new Map((adjusters.rows.value ?? []).map((one) => [one.svc_id, displayName(one)]));
  const itemOf = new Map(props.items.map((item) => [item.id, item]));
  const svcIds = [...new Set(props.plan.map(({ adjuster_svc_id }) => adjuster_svc_id))];
  return (
    <div role="status">
      {svcIds.map((svcId) => {
        const offers = props.plan.filter(({ adjuster_svc_id }) => adjuster_svc_id === svcId);
        const miles = offers.flatMap(({ distance }) => distance ?? []);
        return (
          <details key={svcId}>
            <summary>
              {words.gets(names.get(svcId) ?? svcId, offers.length)}
              {miles.length > 0 && ` · ${words.farthest(Math.max(...miles))}`}{' '}
              <WarningPills of={[...new Set(offers.flatMap(({ warnings }) => warnings))]} />
            </summary>
            <ul>
              {offers.map(({ id, distance, warnings }) => (
                <li key={id}>
                  {itemOf.get(id)?.label ?? id}
                  {distance !== null && ` · ${texts.value.offer.miles(distance)}`}{' '}
                  <WarningPills of={warnings} />
                  {itemOf.get(id)?.rejected_by === svcId && (
                    <span class="pill error">{texts.value.offer.rejectedThis}</span>
                  )}
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </div>
  );
}
