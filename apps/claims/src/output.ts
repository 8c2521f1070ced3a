import type { Adjuster, Claim, ReceiptContent, ReceiptStep } from '@svc/client';
import pc from 'picocolors';
import type { Environment, Output } from './environment.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** Colors on a terminal only. */
export const colorsFor = (output: Output, env: Environment['env']): Colors =>
  pc.createColors(output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb');

/** Replaces control characters, so that text from other people cannot send commands to the terminal. */
export const sanitized = (value: unknown): string =>
  value === null || value === undefined
    ? '-'
    : String(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');

/** JSON leaves DEL and the control characters above it as they are, and some terminals obey them. */
const escaped = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const jsonDocument = (value: unknown): string => `${escaped(JSON.stringify(value, null, 2))}\n`;
export const jsonLine = (value: unknown): string => `${escaped(JSON.stringify(value))}\n`;

/** Names and values, one per line. */
export function fieldLines(fields: Readonly<Record<string, unknown>>, colors: Colors): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${sanitized(value)}\n`)
    .join('');
}

export const claimFields = (claim: Claim) => ({
  id: claim.id,
  external_id: claim.external_id,
  claim_number: claim.claim_number,
  test: yesOrNo(claim.test),
  status: claim.assignment.status,
  adjuster: claim.assignment.adjuster_svc_id,
  responded_at: claim.assignment.responded_at,
  reason: claim.assignment.rejection_reason,
  created_at: claim.created_at,
  updated_at: claim.updated_at,
  loss_date: claim.loss.date,
  carrier: claim.carrier.name,
  location: (['street', 'city', 'state', 'zip'] as const).map((part) => claim.loss_location[part]).join(', '),
});

const stepText = (step: ReceiptStep | null | undefined): string | null =>
  step?.device_at == null ? (step?.date ?? null) : `${step.device_at} (received ${step.at})`;

export const receiptFields = ({
  pushes,
  answered,
  late_answer: late,
  decided_by,
  audit,
  iat,
  ...content
}: ReceiptContent) => ({
  claim_id: content.claim_id,
  external_id: content.external_id,
  adjuster: content.adjuster_svc_id,
  offered_at: content.offered_at,
  pushed: pushes.map(({ channel, outcome, at }) => `${outcome} ${at} (${channel})`).join(', ') || null,
  first_seen_at: content.first_seen_at,
  status: content.status,
  answered_at: answered?.at,
  answered_too_late: late && `${late.answer} ${late.at}`,
  on_the_device: (answered ?? late)?.device_at,
  offline_since: (answered ?? late)?.kept_offline_since,
  first_contact: stepText(content.clocks?.first_contact),
  inspection: stepText(content.clocks?.inspection),
  closed_at: content.closed_at,
  decided_by: decided_by.text,
  audit_row: audit && `${audit.seq} ${audit.hash}`,
  issued_by: content.iss,
  issued_at: new Date(iat * 1000).toISOString(),
});

const yesOrNo = (flag: boolean): string => (flag ? 'yes' : 'no');

export const adjusterFields = (adjuster: Adjuster) => ({ ...adjuster, test: yesOrNo(adjuster.test) });
