import { FORM_TYPES, LIMITS } from '@svc/contract';
import type { ProposedOffer, SpreadBody } from '../endpoints.ts';

/** A claim, or a row of a file. */
export interface SpreadItem {
  readonly id: string;
  readonly label: string;
  readonly zip: string;
  readonly state: string;
  readonly form_type: string | undefined;
  readonly rejected_by?: string | undefined;
}

/** Asks who gets which, in parts, each with what those before it gave. */
export async function proposeOffers(
  propose: (body: SpreadBody) => Promise<{ readonly offers: readonly ProposedOffer[] }>,
  items: readonly SpreadItem[],
  svcIds: readonly string[],
): Promise<ProposedOffer[]> {
  const given = new Map(svcIds.map((svcId) => [svcId, 0]));
  const proposed: ProposedOffer[] = [];
  for (let from = 0; from < items.length; from += LIMITS.spreadClaims) {
    const part = items.slice(from, from + LIMITS.spreadClaims);
    const { offers } = await propose({
      adjusters: [...given].map(([svc_id, count]) => ({ svc_id, given: count })),
      claims: part.map(({ label: _, form_type: form, ...claim }) => ({
        ...claim,
        form_type: FORM_TYPES.find((one) => one === form),
      })),
    });
    for (const { adjuster_svc_id: svcId } of offers) given.set(svcId, (given.get(svcId) ?? 0) + 1);
    proposed.push(...offers);
  }
  return proposed;
}
