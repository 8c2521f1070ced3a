import type { AppClaim } from '@svc/contract';
import { telLink } from '@svc/web-app/phone';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { work } from '../app.ts';
import { ClaimDetails } from '../components/claim-details.tsx';
import { ContactLinks } from '../components/contact.tsx';
import { Instructions, OfferSummary } from '../components/offer-summary.tsx';
import { ReceiptButton } from '../components/receipt.tsx';
import { ClosedWork } from '../work/closed.tsx';
import { ContactLog, ResultChips, useContactLog } from '../work/contact-log.tsx';
import { Deadlines } from '../work/deadlines.tsx';
import { WorkForm } from '../work/form.tsx';

/** What an adjuster does with a claim in this state, and then all that the firm has sent. */
export function ClaimRecord({ claim }: { claim: AppClaim }) {
  const { assignment, closed_at } = claim;
  if (assignment.status !== 'accepted')
    return (
      <>
        {assignment.status === 'pending_acceptance' && closed_at === null && <OfferSummary claim={claim} />}
        <ClaimDetails claim={claim} contacts={false} />
      </>
    );
  if (closed_at === null) return <OpenClaim claim={work.withOwnEdits(claim)} />;
  return (
    <>
      <ClosedWork claim={claim} />
      <OwnReceipt claim={claim} />
      <Instructions claim={claim} />
      <ClaimDetails claim={claim} contacts />
    </>
  );
}

/** For a thumb on a porch: the call first, and what came of it. */
function OpenClaim({ claim }: { claim: AppClaim }) {
  const words = allTexts.value;
  const log = useContactLog(claim);
  const [called, setCalled] = useState(false);
  const [isUnfolded, setUnfolded] = useState(false);
  const { policyholder } = claim;
  const phones = [policyholder.phone, policyholder.alternate_phone].filter((one) => one !== undefined);
  const phone = phones.find((one) => telLink(one) !== undefined);
  return (
    <>
      <ContactLinks
        phone={phone}
        email={policyholder.email}
        place={claim.loss_location}
        onCall={() => setCalled(true)}
        onNote={() => document.getElementById('notes')?.focus()}
      />
      {phone === undefined && <p class="muted">{phones[0] ?? words.record.noPhone}</p>}
      {called && (
        <section class="card" aria-labelledby="called" role="status">
          <h2 id="called">{words.work.called}</h2>
          <div class="chips">
            <ResultChips
              log={(result) => {
                setCalled(false);
                log.log(result);
              }}
            />
          </div>
        </section>
      )}
      <Instructions claim={claim} />
      <Deadlines claim={claim} />
      <ContactLog claim={claim} log={log} />
      <WorkForm claim={claim} />
      <OwnReceipt claim={claim} />
      <details
        class="card record"
        open={isUnfolded}
        onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
      >
        <summary>{words.record.title}</summary>
        {isUnfolded && <ClaimDetails claim={claim} contacts />}
      </details>
    </>
  );
}

const OwnReceipt = ({ claim }: { claim: AppClaim }) => (
  <p>
    <ReceiptButton
      offer={{ claimId: claim.id, claimNumber: claim.claim_number, offeredAt: claim.offered_at }}
    />
  </p>
);
