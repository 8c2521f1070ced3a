import { randomUUID } from 'node:crypto';
import { auditEvent, BY_SERVICE, claimObject, type QueuedJob } from '@svc/application';
import type { CarrierDetails, Claim, ClaimAsSent, ClaimId, FirmId, Membership, Svcid } from '@svc/domain';
import { NO_NOTES, NO_OVERRIDES, SHARES_NOTHING } from '@svc/domain';
import type { PostgresStores } from '../src/index.ts';

export const newId = <T extends string>(): T => randomUUID() as T;
export const NOW = Date.parse('2026-09-01T12:00:00.000Z');

export const aMembership = (firmId: FirmId, svcId: Svcid, changes: Partial<Membership> = {}): Membership => ({
  firmId,
  svcId,
  status: 'active',
  firstKnownAt: NOW,
  invitedAt: null,
  expiresAt: null,
  respondedAt: null,
  notes: NO_NOTES,
  canAcceptClaims: true,
  acceptingAssignments: true,
  readableUntil: null,
  sharing: SHARES_NOTHING,
  seenAt: null,
  remindedAt: null,
  ...changes,
});

let count = 0;

export function aClaim(firmId: FirmId, adjuster: Svcid, changes: Partial<Claim> = {}): Claim {
  count += 1;
  return {
    id: newId<ClaimId>(),
    firmId,
    environment: 'live',
    externalId: `ext-${count}`,
    claimNumber: `number-${count}`,
    carrier: { name: 'Tidewater Indemnity' },
    asSent: `{"external_id":"ext-${count}"}` as ClaimAsSent,
    assignment: {
      status: 'pending_acceptance',
      adjuster,
      offeredAt: NOW,
      respondedAt: null,
      rejectionReason: null,
      offeredBy: null,
    },
    work: { contactDate: null, inspectionDate: null, notes: null },
    createdAt: NOW,
    updatedAt: NOW,
    closedAt: null,
    ...changes,
  };
}

/** A firm with one active adjuster. */
export async function aFirm(
  stores: Pick<PostgresStores, 'unitOfWork'>,
): Promise<{ firmId: FirmId; svcId: Svcid }> {
  const firmId = newId<FirmId>();
  const svcId = newId<Svcid>();
  await stores.unitOfWork.run(async (tx) => {
    await tx.firms.add({
      id: firmId,
      name: 'Firm',
      plan: 'standard',
      limits: NO_OVERRIDES,
      maxKeys: null,
      offerWaitHours: null,
      clocks: null,
      createdAt: NOW,
      erasure: null,
    });
    await tx.adjusters.add({ svcId, firstName: 'Ada', lastName: 'Juster', email: null, testOf: null }, null);
    await tx.memberships.save(aMembership(firmId, svcId));
  });
  return { firmId, svcId };
}

type Writes = Pick<PostgresStores, 'claimWrites' | 'unitOfWork'>;

/** Adds a claim in any state, without rules, under a key that is its id. */
export async function addClaim(
  { claimWrites, unitOfWork }: Writes,
  claim: Claim,
  decideJobs: () => readonly QueuedJob[] = () => [],
): Promise<Claim> {
  const { firmId, environment, id, externalId, claimNumber } = claim;
  const slot = { firmId, environment, key: id };
  const { adjuster } = claim.assignment;
  const event = auditEvent(firmId, BY_SERVICE, { at: NOW, action: 'claim.send', object: claimObject(id) });
  const added = await claimWrites.send(
    { slot, fingerprint: 'f', at: NOW, adjuster, externalId, claimNumber },
    () => ({ claim, jobs: decideJobs(), event }),
  );
  if ('replayed' in added) throw new Error('The claim was added before.');
  // The adjuster's work, and closing, come later.
  if (claim.closedAt !== null || claim.work.contactDate !== null || claim.work.notes !== null)
    await unitOfWork.run((tx) => tx.claims.saveWithoutTimestamp(claim));
  return added;
}

/** Fills in the carrier book of a firm, as a claim does. */
export const mergeCarrier = (stores: Writes, firmId: FirmId, carrier: CarrierDetails): Promise<Claim> =>
  addClaim(stores, aClaim(firmId, newId(), { carrier }));
