import type { AppClaim } from '@svc/contract';

/** An answer to an offer, stored from the tap until the service has confirmed it. */
export interface QueuedAnswer {
  readonly claimId: string;
  readonly answer: 'accept' | 'reject';
  readonly reason?: string;
  /** Who gave the answer: it is never sent with another adjuster's session. */
  readonly svcId: string;
  readonly title: string;
  readonly firm: string;
  /** Identifies the offer: the same claim may be offered again. */
  readonly offeredAt?: string;
  /** It was sent before and may have arrived. */
  readonly tried?: boolean;
  readonly at: number;
  /** Until then the adjuster can take it back, and it is not sent. */
  readonly sendAt?: number;
}

/**
 * Result of an answer. `gone`: the offer was withdrawn, or rejected on another device. `alreadyAccepted`: this adjuster
 * accepted the claim on another device. `offeredAgain`: that offer is over, and a new one for the same claim needs its
 * own answer.
 */
export type AnswerResult = 'accepted' | 'rejected' | 'gone' | 'alreadyAccepted' | 'offeredAgain' | 'refused';

export interface Outcome {
  readonly claimId: string;
  readonly result: AnswerResult;
  readonly title: string;
}

/**
 * Where an answer is between the tap and its result:
 *
 *     none → held → due → tried → none (with an outcome)
 *              ↘ undone ↗ (none, nothing was sent)
 *
 * `held` ends with the undo time, or at once when the page is hidden. A `tried` answer may have arrived, so it can no
 * longer be taken back without asking the service.
 */
export type AnswerState = 'none' | 'held' | 'due' | 'tried';

export function answerState(answer: QueuedAnswer | undefined, now: number): AnswerState {
  if (answer === undefined) return 'none';
  if (answer.tried === true) return 'tried';
  return answer.sendAt !== undefined && now < answer.sendAt ? 'held' : 'due';
}

export const canUndo = (state: AnswerState): boolean => state === 'held' || state === 'due';

/** The answers that one tap gave last: an adjuster who decides quickly takes back one, and the earlier ones are sent. */
export function lastGiven(held: readonly QueuedAnswer[]): readonly QueuedAnswer[] {
  const last = Math.max(...held.map(({ at }) => at));
  return held.filter(({ at }) => at === last);
}

/** When the next held answer is due; undefined when none is held. */
export function nextDueAt(queued: readonly QueuedAnswer[], now: number): number | undefined {
  const times = queued.flatMap((one) => (answerState(one, now) === 'held' ? (one.sendAt ?? []) : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The responses of the service that matter here. */
export type AnswerResponse =
  | { readonly kind: 'done' }
  | { readonly kind: 'offer_not_pending' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused' };

export interface AnswerService {
  post(answer: QueuedAnswer): Promise<AnswerResponse>;
  /** Null when this adjuster may not read the claim: it was rejected, withdrawn or offered to someone else. */
  read(claimId: string): Promise<Pick<AppClaim, 'assignment' | 'closed_at' | 'offered_at'> | null>;
}

/**
 * Sends one answer. One that was tried before may have arrived: then the claim is read first, so that the answer takes
 * effect only once, and only for the offer that the adjuster saw.
 */
export async function sendAnswer(answer: QueuedAnswer, service: AnswerService): Promise<AnswerResult> {
  if (answer.tried === true) {
    const known = await resultFrom(answer, service);
    if (known !== null) return known;
  }
  const response = await service.post(answer);
  if (response.kind === 'done') return resultOf(answer);
  if (response.kind === 'not_found') return 'gone';
  if (response.kind === 'refused') return 'refused';
  return (await resultFrom(answer, service)) ?? 'gone';
}

const resultOf = ({ answer }: QueuedAnswer): AnswerResult => (answer === 'accept' ? 'accepted' : 'rejected');

/** The result according to the claim as it is now; null while the same offer is still open. */
async function resultFrom(answer: QueuedAnswer, service: AnswerService): Promise<AnswerResult | null> {
  const claim = await service.read(answer.claimId);
  // A rejected claim cannot be read, so a rejection of a claim that cannot be read is done either way.
  if (claim === null) return answer.answer === 'reject' ? 'rejected' : 'gone';
  const { status } = claim.assignment;
  if (status === resultOf(answer)) return resultOf(answer);
  if (status === 'accepted') return 'alreadyAccepted';
  if (status !== 'pending_acceptance' || claim.closed_at !== null) return 'gone';
  return answer.offeredAt !== undefined && claim.offered_at !== answer.offeredAt ? 'offeredAgain' : null;
}
