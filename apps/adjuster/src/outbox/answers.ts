import type { AppClaim } from '@svc/contract';
import type { Call } from '../data/endpoints.ts';
import { ApiError, isRefusal } from '../model/api-error.ts';
import type { PastOffer } from '../model/history.ts';
import type { AnswerContent, Entry, Handler } from './entry.ts';

/**
 * Result of an answer. `gone`: the offer was withdrawn, or rejected on another device. `alreadyAccepted`: this adjuster
 * accepted the claim on another device. `offeredAgain`: that offer is over, and a new one for the same claim needs its
 * own answer.
 */
export type AnswerResult = 'accepted' | 'rejected' | 'gone' | 'alreadyAccepted' | 'offeredAgain' | 'refused';

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

export interface AnswerApi {
  readonly call: Call;
  now(): number;
  /** Stores what came of an answer. It may be called twice for one answer. */
  recordOutcome(outcome: Outcome, past: PastOffer | undefined): Promise<void>;
}

const success = ({ answer }: AnswerContent): AnswerResult => (answer === 'accept' ? 'accepted' : 'rejected');

/** The result according to the claim as it is now; null while the offer that was seen is still open. */
async function resultFrom(entry: AnswerContent, { call }: AnswerApi): Promise<AnswerResult | null> {
  let claim: Pick<AppClaim, 'assignment' | 'closed_at' | 'offered_at'>;
  try {
    claim = await call('getOfferedClaim', { params: { id: entry.key } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    // A rejected claim cannot be read, so a rejection of a claim that cannot be read is done either way.
    return entry.answer === 'reject' ? 'rejected' : 'gone';
  }
  const { status } = claim.assignment;
  if (status === success(entry)) return success(entry);
  if (status === 'accepted') return 'alreadyAccepted';
  if (status !== 'pending_acceptance' || claim.closed_at !== null) return 'gone';
  return (entry.offeredAt ?? claim.offered_at) === claim.offered_at ? null : 'offeredAgain';
}

/** One that was tried before may have arrived: then the claim is read first, so that the answer takes effect once. */
async function resultOf(entry: Entry<AnswerContent>, api: AnswerApi): Promise<AnswerResult> {
  const { key, answer, reason, offeredAt } = entry;
  const known = entry.tried === true ? await resultFrom(entry, api) : null;
  if (known !== null) return known;
  const body = {
    ...(offeredAt !== undefined && { offered_at: offeredAt }),
    ...(reason !== undefined && { reason }),
  };
  try {
    const input = { params: { id: key }, body };
    await (answer === 'accept' ? api.call('acceptClaim', input) : api.call('rejectClaim', input));
    return success(entry);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error.code === 'offer_not_pending') return (await resultFrom(entry, api)) ?? 'gone';
    return error.code === 'not_found' ? 'gone' : 'refused';
  }
}

export const answerHandler: Handler<AnswerContent, AnswerApi> = {
  async send(entry, api) {
    const { key, answer, past } = entry;
    const result = await resultOf(entry, api);
    // An adjuster who may no longer see the claim keeps nobody's name.
    const isNameless = result === 'gone' && past !== undefined;
    const title = isNameless ? `${past.claimNumber} (${past.city})` : entry.title;
    const detail = isNameless ? undefined : entry.detail;
    await api.recordOutcome(
      { claimId: key, answer, result, title, detail, at: api.now() },
      result === 'rejected' && past !== undefined ? { ...past, endedAt: api.now() } : undefined,
    );
    return true;
  },
  // Given in two tabs: the later one counts while neither may have arrived.
  merge: (entry, next) => (entry.tried === true ? entry : next),
};
