import { Dialog } from '@svc/web-app/components/dialog';
import { Facts, fact } from '@svc/web-app/components/facts';
import { Button } from '@svc/web-app/components/ui';
import { shareFile } from '@svc/web-app/share-file';
import { useBusy } from '@svc/web-app/use-busy';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, dateTime, request, showError } from '../app.ts';
import { type ReceiptFacts, receiptFacts } from '../model/receipt.ts';

interface Offer {
  readonly claimId: string;
  readonly claimNumber: string;
  readonly offeredAt: string;
}

/** Shows the signed receipt of an offer, and hands it on as a file. */
export function ReceiptButton({ offer }: { offer: Offer }) {
  const words = allTexts.value.receipt;
  const [busy, during] = useBusy();
  const [receipt, setReceipt] = useState<string>();
  const read = async (): Promise<void> => {
    const { claimId: id, offeredAt: offered_at } = offer;
    const input = { params: { id }, query: { offered_at } };
    setReceipt((await request(() => call('getOfferReceipt', input))).receipt);
  };
  return (
    <>
      <Button
        kind="quiet"
        busy={busy}
        aria-label={`${words.title}: ${offer.claimNumber}`}
        onClick={() => void during(read)}
      >
        {words.title}
      </Button>
      {receipt !== undefined && (
        <Receipt receipt={receipt} claimNumber={offer.claimNumber} close={() => setReceipt(undefined)} />
      )}
    </>
  );
}

function Receipt(props: {
  readonly receipt: string;
  readonly claimNumber: string;
  readonly close: () => void;
}) {
  const words = allTexts.value;
  const { receipt, claimNumber, close } = props;
  const facts = receiptFacts(receipt);
  // Browsers share no JSON files. The command that verifies it reads any name.
  const name = `receipt-${claimNumber.replace(/[^\w-]+/g, '-')}.txt`;
  const share = () => shareFile(new File([JSON.stringify({ receipt })], name, { type: 'text/plain' }));
  return (
    <Dialog title={`${words.receipt.title}: ${claimNumber}`} close={close}>
      <p class="muted">{words.receipt.lead}</p>
      <ReceiptContent facts={facts} />
      <div class="row">
        <Button kind="primary" onClick={() => void share().catch(showError)}>
          {words.receipt.share}
        </Button>
        <Button onClick={close}>{words.receipt.close}</Button>
      </div>
    </Dialog>
  );
}

function ReceiptContent({ facts }: { facts: ReceiptFacts }) {
  const words = allTexts.value.receipt;
  const { kinds } = allTexts.value.deadlines;
  const { answered, late_answer: late = null, audit } = facts;
  const times = answered ?? late;
  return (
    <Facts
      facts={[
        fact(words.result, words.rules[facts.decided_by.rule] ?? facts.status),
        fact(words.offered, facts.offered_at, dateTime),
        fact(words.seen, facts.first_seen_at, dateTime),
        fact(late === null ? words.answered : words.late, times?.at, dateTime),
        fact(words.onDevice, times?.device_at, dateTime),
        fact(words.offline, times?.kept_offline_since, dateTime),
        fact(kinds.first_contact, facts.clocks?.first_contact?.device_at, dateTime),
        fact(kinds.inspection, facts.clocks?.inspection?.device_at, dateTime),
        fact(words.audit, audit, ({ seq, hash }) => `${seq} · ${hash.slice(0, 12)}…`),
      ]}
    />
  );
}
