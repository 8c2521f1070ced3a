import { EmptyState, ScreenHeader } from '@svc/web-app/components/ui';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { dateTime, lists, storage } from '../app.ts';
import { ReceiptButton } from '../components/receipt.tsx';
import type { PastOffer } from '../model/history.ts';
import { REJECTION_CODES, REJECTION_REASONS } from '../model/rejection.ts';

/** Answered and withdrawn offers with their receipts, without anything of the policyholder. */
export function OfferHistory() {
  const { history: words, nav } = allTexts.value;
  const [offers, setOffers] = useState<readonly PastOffer[]>();
  const { value: readAt } = lists.readAt;
  useEffect(() => {
    void storage.get('history').then(
      (found) => setOffers(found ?? []),
      () => setOffers([]),
    );
  }, [readAt]);
  return (
    <>
      <ScreenHeader title={nav.history} back="#/">
        <p class="muted">{words.lead}</p>
      </ScreenHeader>
      {offers?.length === 0 && <EmptyState title={words.none} />}
      {offers !== undefined && offers.length > 0 && (
        <ul class="list rows">
          {offers.map((offer) => (
            <li key={`${offer.claimId} ${offer.offeredAt}`}>
              <div class="claim-row">
                <span class="row-main">
                  <span class="row-top">
                    <span class="strong">{offer.claimNumber}</span>
                    <span class="pill neutral">{words[offer.result]}</span>
                  </span>
                  <span class="line">
                    {offer.city}, {offer.state} · {offer.firm}
                  </span>
                  <span class="line muted">
                    {dateTime(offer.endedAt)}
                    {offer.reason !== undefined && ` · ${inWords(offer.reason)}`}
                  </span>
                </span>
                <ReceiptButton offer={offer} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The standard part of a reason in the language of the app. */
function inWords(reason: string): string {
  const { reasons } = allTexts.value.reject;
  const code = REJECTION_CODES.find((one) => reason.startsWith(REJECTION_REASONS[one]));
  return code === undefined ? reason : reasons[code] + reason.slice(REJECTION_REASONS[code].length);
}
