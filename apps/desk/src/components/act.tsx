import { offers } from '../app.ts';
import type { OfferDraft, OfferedClaim } from '../state/offers.ts';

// What the dialogs of offering, withdrawing and closing have in common.

export interface ActProps {
  readonly claims: readonly OfferedClaim[];
  readonly done?: () => void;
  readonly focusAfter?: () => HTMLElement | undefined;
}

export const changeDraft = (changes: Partial<Pick<OfferDraft, 'typed' | 'chosen'>>): void => {
  const { value: draft } = offers.draft;
  if (draft !== undefined) offers.draft.value = { ...draft, ...changes };
};

export const closeDraft = (): void => {
  offers.draft.value = undefined;
};

export const ClaimPoints = ({ claims }: Pick<ActProps, 'claims'>) => (
  <ul class="points">
    {claims.slice(0, 5).map(({ id, name, claim_number }) => (
      <li key={id}>
        {name} · {claim_number}
      </li>
    ))}
    {claims.length > 5 && <li>+{claims.length - 5}</li>}
  </ul>
);
