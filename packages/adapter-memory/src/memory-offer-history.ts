import {
  claimObject,
  type OfferHistory,
  type OfferHistoryEntry,
  type OfferRecord,
  type ReceiptKey,
  type ReceiptKeys,
} from '@svc/application';
import { type Claim, isClaimVisible, MAX_OFFERS_READ, type StepTimes, stepTimesOf } from '@svc/domain';
import { auditRow } from './memory-audit.ts';
import { compareText } from './pages.ts';
import { keyOf, type OfferRow, type Tables, type Write } from './tables.ts';

/** As stored, or as a first row. */
export const offerRowOf = (
  { offers }: Pick<Tables, 'offers'>,
  { firmId, claimId, offeredAt, adjuster }: Pick<OfferRow, 'firmId' | 'claimId' | 'offeredAt' | 'adjuster'>,
): OfferRow =>
  offers.get(keyOf(firmId, claimId, offeredAt)) ?? {
    offeredBy: null,
    ...{ firmId, claimId, offeredAt, adjuster },
    ...{ auditSeq: 0, firstSeenAt: null, reminderQueuedAt: null, remindedAt: null, pushes: [], end: null },
  };

function sharedStepsOf(tables: Tables, { firmId, assignment, work }: Claim): StepTimes | null {
  const membership = tables.memberships.get(keyOf(firmId, assignment.adjuster));
  const isShared = membership?.status === 'active' && membership.sharing.clocks;
  return isShared && assignment.status === 'accepted' ? stepTimesOf(work) : null;
}

export function memoryOfferHistory(tables: Tables, write: Write): OfferHistory {
  const latestOf = ({ firmId, id, assignment }: Claim): OfferHistoryEntry => {
    const { firstSeenAt, remindedAt, pushes } = offerRowOf(tables, { firmId, claimId: id, ...assignment });
    return { ...assignment, endedAt: null, firstSeenAt, remindedAt, pushes };
  };
  const recordOf = (claim: Claim): OfferRecord => {
    const { seq = 0 } = tables.offerDecisions.get(keyOf(claimObject(claim.id))) ?? {};
    return {
      claimId: claim.id,
      firmId: claim.firmId,
      externalId: claim.externalId,
      environment: claim.environment,
      closedAt: claim.closedAt,
      offer: latestOf(claim),
      steps: sharedStepsOf(tables, claim),
      audit: auditRow(tables, claim.firmId, seq),
    };
  };
  return {
    append: (events) =>
      write(async ({ offers }) => {
        for (const { seenAt, push, ...offer } of events) {
          const row = offerRowOf({ offers }, offer);
          const { firstSeenAt, pushes } = row;
          const others = pushes.filter(({ channel }) => channel !== push?.channel);
          offers.put({
            ...row,
            firstSeenAt: seenAt === undefined ? firstSeenAt : Math.min(seenAt, firstSeenAt ?? seenAt),
            pushes: [...others, ...(push === undefined ? [] : [push])].sort((one, other) =>
              compareText(one.channel, other.channel),
            ),
          });
        }
      }),

    async ofClaim(firmId, claimId) {
      const claim = tables.claims.get(keyOf(claimId));
      if (claim?.firmId !== firmId) return [];
      const earlier = tables.offers
        .all()
        .filter((row) => row.firmId === firmId && row.claimId === claimId)
        .flatMap(({ firmId: _, claimId: __, reminderQueuedAt: ___, auditSeq: ____, end, ...offer }) =>
          end === null ? [] : [{ ...end, ...offer }],
        )
        .sort((one, other) => one.offeredAt - other.offeredAt);
      return [...earlier, latestOf(claim)].slice(-MAX_OFFERS_READ);
    },

    async latestOfFirm(firmId, environment, claimId) {
      const claim = tables.claims.get(keyOf(claimId));
      return claim?.firmId === firmId && isClaimVisible(claim, environment) ? recordOf(claim) : null;
    },

    async toAdjuster(svcId, claimId, offeredAt) {
      const claim = tables.claims.get(keyOf(claimId));
      if (claim === undefined) return null;
      const { assignment, externalId, environment } = claim;
      const isWanted = (offer: { offeredAt: number; adjuster: string }): boolean =>
        offer.adjuster === svcId && (offeredAt ?? offer.offeredAt) === offer.offeredAt;
      if (isWanted(assignment)) return recordOf(claim);
      const [row] = tables.offers
        .all()
        .filter((offer) => offer.claimId === claimId && offer.end !== null && isWanted(offer))
        .sort((one, other) => other.offeredAt - one.offeredAt);
      if (row === undefined || row.end === null) return null;
      const { firmId, auditSeq, reminderQueuedAt: _, claimId: __, end, ...offer } = row;
      const audit = auditRow(tables, firmId, auditSeq);
      return {
        claimId,
        firmId,
        externalId,
        environment,
        closedAt: null,
        offer: { ...end, ...offer },
        steps: null,
        audit,
      };
    },
  };
}

export function memoryReceiptKeys(): ReceiptKeys {
  const keys = new Map<string, ReceiptKey>();
  return {
    async add(key) {
      if (!keys.has(key.kid)) keys.set(key.kid, key);
    },
    all: async () => [...keys.values()],
  };
}
