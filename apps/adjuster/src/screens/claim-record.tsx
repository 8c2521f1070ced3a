import type { AppClaim } from '@svc/contract';
import { ClaimDetails } from '../components/claim-details.tsx';
import { ClosedWork, Work } from './work.tsx';

/** The adjuster's own work on a claim, and all that the firm has sent. */
export function ClaimRecord({ claim }: { claim: AppClaim }) {
  const accepted = claim.assignment.status === 'accepted';
  return (
    <>
      {accepted && (claim.closed_at === null ? <Work claim={claim} /> : <ClosedWork claim={claim} />)}
      <ClaimDetails claim={claim} contacts={accepted} />
    </>
  );
}
