import { receiptFacts } from '../model/receipt.ts';
import type { Call } from './endpoints.ts';

/** Whether the firm withdrew an offer that has ended. False if that cannot be read now. */
export async function isWithdrawnByFirm(call: Call, id: string, offered_at: string): Promise<boolean> {
  try {
    const { receipt } = await call('getOfferReceipt', { params: { id }, query: { offered_at } });
    return receiptFacts(receipt).decided_by.rule === 'withdrawn_by_firm';
  } catch {
    return false;
  }
}
