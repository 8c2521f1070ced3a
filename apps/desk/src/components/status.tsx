import { since, texts } from '../app.ts';

const KINDS: Readonly<Record<string, string>> = {
  pending: 'warning',
  pending_acceptance: 'warning',
  accepted: 'success',
  rejected: 'error',
  unassigned: 'error',
};

/** The name of a claim's status, or of an offer's outcome. */
export const statusName = (status: string): string =>
  texts.value.statuses[status] ?? texts.value.claim.outcomes[status] ?? status;

export const StatusPill = ({ status, late }: { readonly status: string; readonly late?: boolean }) => (
  <span class={`pill ${late ? 'error' : (KINDS[status] ?? 'neutral')}`}>
    {statusName(status)}
    {late && ` · ${texts.value.board.late}`}
  </span>
);

/** How long a claim has waited. */
export const Waits = ({ from }: { readonly from: string | null }) =>
  from === null ? null : <span class="line muted">{texts.value.board.waits(since(from))}</span>;
