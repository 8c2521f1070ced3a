import { texts } from '../app.ts';

const KINDS: Readonly<Record<string, string>> = {
  pending_acceptance: 'warning',
  accepted: 'success',
  rejected: 'error',
  unassigned: 'error',
};

/** The status of a claim's latest offer. */
export const StatusPill = ({
  status,
  late = false,
}: {
  readonly status: string;
  readonly late?: boolean;
}) => (
  <span class={`pill ${late ? 'error' : (KINDS[status] ?? 'neutral')}`}>
    {texts.value.statuses[status] ?? status}
    {late && ` · ${texts.value.board.late}`}
  </span>
);
