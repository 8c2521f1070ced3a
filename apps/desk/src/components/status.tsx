import { since, texts } from '../app.ts';

const KINDS: Readonly<Record<string, string>> = {
  pending: 'warning',
  pending_acceptance: 'warning',
  accepted: 'success',
  delivered: 'success',
  passed: 'success',
  rejected: 'error',
  failed: 'error',
  unassigned: 'error',
};

/** The name of a claim's status, or of an offer's outcome. */
export const statusName = (status: string): string =>
  texts.value.statuses[status] ?? texts.value.claim.outcomes[status] ?? status;

export const StatusPill = (props: {
  readonly status: string;
  readonly name?: string | undefined;
  readonly late?: boolean;
}) => (
  <span class={`pill ${props.late ? 'error' : (KINDS[props.status] ?? 'neutral')}`}>
    {props.name ?? statusName(props.status)}
    {props.late && ` · ${texts.value.board.late}`}
  </span>
);

/** How long a claim has waited. */
export const Waits = ({ from }: { readonly from: string | null }) =>
  from === null ? null : <span class="line muted">{texts.value.board.waits(since(from))}</span>;
