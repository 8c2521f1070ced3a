/** What a receipt says, as far as it is shown; `apps/claims` verifies it. */
export interface ReceiptFacts {
  readonly offered_at: string;
  readonly first_seen_at: string | null;
  readonly status: string;
  readonly answered: AnswerTimes | null;
  readonly late_answer?: AnswerTimes | null;
  /** Absent in older receipts. */
  readonly clocks?: {
    readonly first_contact: { readonly device_at: string | null } | null;
    readonly inspection: { readonly device_at: string | null } | null;
  } | null;
  readonly decided_by: { readonly rule: string };
  readonly audit: { readonly seq: number; readonly hash: string } | null;
}

export interface AnswerTimes {
  readonly at: string;
  readonly device_at: string | null;
  readonly kept_offline_since: string | null;
}

/** The content of a JSON Web Signature in compact form. */
export function receiptFacts(receipt: string): ReceiptFacts {
  const [, payload = ''] = receipt.split('.');
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0))));
}
