import { isRefusal, NetworkError } from '@svc/web-app/api-error';
import type { Call } from '../data/endpoints.ts';
import { isWithdrawnByFirm } from '../data/offer-end.ts';
import { offerLabel, type PastOffer } from '../model/history.ts';
import type { AnswerContent, Entry, Handler } from './entry.ts';

/**
 * Result of an answer. `withdrawn`: the firm withdrew the offer. `gone`: it ended otherwise, or was rejected on another device. `alreadyAccepted`: this adjuster
 * accepted the claim on another device. `offeredAgain`: that offer is over, and a new one for the same claim needs its
 * own answer.
 */
export type AnswerResult =
  | 'accepted'
  | 'rejected'
  | 'withdrawn'
  | 'gone'
  | 'alreadyAccepted'
  | 'offeredAgain'
  | 'refused';

export interface Outcome {
  readonly claimId: string;
  readonly answer: AnswerContent['answer'];
  readonly result: AnswerResult;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly at: number;
  /** The adjuster was told. */
  readonly isSeen?: boolean;
}

export const isLost = ({ result }: Pick<Outcome, 'result'>): boolean =>
  result !== 'accepted' && result !== 'rejected';

/** The offer ended without an answer of this adjuster that counts. */
export const isEnded = ({ result }: Pick<Outcome, 'result'>): boolean =>
  result === 'withdrawn' || result === 'gone';

const RESULTS = { accept: 'accepted', reject: 'rejected' } as const;

/** How the history lists an offer with this result. */
const LISTED_AS: Readonly<Record<AnswerResult, PastOffer['result'] | undefined>> = {
  accepted: 'accepted',
  rejected: 'rejected',
  withdrawn: 'late',
  gone: 'late',
  offeredAgain: 'late',
  alreadyAccepted: undefined,
  refused: undefined,
};

export const answerHandler = (api: {
  readonly call: Call;
  now(): number;
  /** Stores what came of an answer. It may be called twice for one answer. */
  recordOutcome(outcome: Outcome, past: PastOffer | undefined): Promise<void>;
}): Handler<AnswerContent> => {
  /** The result according to the claim as it is now; null while the offer that was seen is still open. */
  async function resultFrom({ key: id, answer, offer }: AnswerContent): Promise<AnswerResult | null> {
    try {
      const { assignment, closed_at, offered_at } = await api.call('getOfferedClaim', { params: { id } });
      if (assignment.status === RESULTS[answer]) return RESULTS[answer];
      if (assignment.status === 'accepted') return 'alreadyAccepted';
      if (assignment.status !== 'pending_acceptance' || closed_at !== null) return 'gone';
      return offer.offeredAt === offered_at ? null : 'offeredAgain';
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error.status !== 404) return 'refused';
      // A rejected claim cannot be read, so a rejection of a claim that cannot be read is done either way.
      return answer === 'reject' ? 'rejected' : 'gone';
    }
  }

  /** One that was tried before may have arrived: then the claim is read first, so that the answer takes effect once. */
  async function resultOf(entry: Entry<AnswerContent>): Promise<AnswerResult> {
    const { key: id, answer, offer } = entry;
    const known = entry.tried === true ? await resultFrom(entry) : null;
    // A late answer is sent all the same: the service records it, and it has a receipt. A rejection that cannot be read
    // may be late, too; the service knows the one that has arrived.
    const mayBeLate = known === 'gone' || known === 'offeredAgain' || known === 'rejected';
    if (known !== null && !mayBeLate) return known;
    const timeOf = (at: number | undefined): string | undefined =>
      at === undefined ? undefined : new Date(at).toISOString();
    const body = {
      offered_at: offer.offeredAt,
      reason: offer.reason,
      answered_at: timeOf(entry.answeredAt),
      kept_offline_since: timeOf(entry.offlineSince),
    };
    try {
      const operation = answer === 'accept' ? 'acceptClaim' : 'rejectClaim';
      const { assignment } = await api.call(operation, { params: { id }, body });
      // A proxy may respond with the claim as it was before.
      if (assignment.status !== RESULTS[answer]) throw new NetworkError();
      return RESULTS[answer];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (known === 'rejected') return known;
      const isOver = error.code === 'offer_not_pending';
      const end = isOver ? await resultFrom(entry) : error.code === 'not_found' ? 'gone' : 'refused';
      // A rejection that cannot be read may have come too late.
      const isUnread = end === null || end === 'gone' || end === 'rejected';
      if (isUnread && (await isWithdrawnByFirm(api.call, id, offer.offeredAt))) return 'withdrawn';
      return end ?? 'gone';
    }
  }

  async function record(entry: Entry<AnswerContent>, result: AnswerResult): Promise<void> {
    const { key: claimId, answer, offer, title } = entry;
    const at = api.now();
    // An adjuster who may no longer see the claim keeps nobody's name.
    const shown = isEnded({ result })
      ? { title: `${offer.claimNumber} (${offer.city})` }
      : { title, detail: offerLabel(offer) };
    const listedAs = LISTED_AS[result];
    const past = listedAs && { ...offer, result: listedAs, endedAt: at };
    await api.recordOutcome({ claimId, answer, result, at, ...shown }, past);
  }

  return {
    send: async (entry) => record(entry, await resultOf(entry)),
    async arrived(entry) {
      const result = await resultFrom(entry);
      if (result !== null) await record(entry, result);
      return result === RESULTS[entry.answer];
    },
    // Given in two tabs: the later one counts while neither may have arrived.
    merge: (entry, next) => (entry.tried === true ? entry : next),
  };
};
