import { adjusters, offers, texts } from '../app.ts';
import { closeDraft } from '../components/act.tsx';
import type { BoardClaim, ProposedOffer } from '../endpoints.ts';
import type { OfferDraft } from '../state/offers.ts';
import { SpreadDialog } from './spread.tsx';

/** Spreads claims of the board: each becomes an ordinary offer, of the claim as it was when the plan was shown. */
export function SpreadBoard(props: {
  /** By id; after the page was loaded again, not all are known. */
  readonly known: ReadonlyMap<string, BoardClaim>;
  readonly done: () => void;
  readonly focusAfter: () => HTMLElement | undefined;
}) {
  const { known, focusAfter } = props;
  const { value: draft } = offers.draft;
  if (draft === undefined) return null;
  const { plan, ticked = [] } = draft;
  const change = (changes: Partial<OfferDraft>): void => {
    offers.draft.value = { ...draft, ...changes };
  };
  const items = draft.ids.flatMap((id) => {
    const claim = known.get(id);
    const planned = plan?.find((one) => one.id === id);
    if (claim === undefined && planned === undefined) return [];
    const label = [claim?.name, claim?.claim_number ?? planned?.claim.claim_number]
      .filter(Boolean)
      .join(' · ');
    const rejected_by = claim?.status === 'rejected' ? claim.adjuster_svc_id : undefined;
    const { zip = '', state = '' } = claim?.place ?? {};
    return [{ id, label, zip, state, form_type: claim?.form_type ?? undefined, rejected_by }];
  });
  const show = (proposed: readonly ProposedOffer[]): void => {
    const planned = proposed.flatMap((offer) => {
      const claim = known.get(offer.id);
      if (claim === undefined) return [];
      const { id, claim_number, test, updated_at, status, adjuster_svc_id } = claim;
      return [{ ...offer, claim: { id, claim_number, test, updated_at, status, adjuster_svc_id } }];
    });
    change({ plan: planned });
  };
  const submit = (): void => {
    const people = new Map((adjusters.rows.value ?? []).map((one) => [one.svc_id, one]));
    const made = (plan ?? []).map(({ claim, adjuster_svc_id: svc_id }) => ({
      claim: { ...claim, name: known.get(claim.id)?.name ?? '' },
      adjuster: people.get(svc_id) ?? { svc_id, name: null, invited_as: null },
    }));
    void offers.offerPlan(made);
    props.done();
  };
  return (
    <SpreadDialog
      {...{ items, ticked, plan, show, submit, close: closeDraft, focusAfter }}
      tick={(next) => change({ ticked: next, plan: undefined })}
      act={texts.value.spread.offer(plan?.length ?? 0)}
    />
  );
}
