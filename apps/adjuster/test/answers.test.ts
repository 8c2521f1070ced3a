import { describe, expect, test } from '@jest/globals';
import {
  type AnswerResponse,
  type AnswerService,
  answerState,
  canUndo,
  lastGiven,
  nextDueAt,
  type QueuedAnswer,
  sendAnswer,
} from '../src/model/answer-sender.ts';
import { pastOffer, withPastOffers } from '../src/model/history.ts';
import { maxFreeTextLength, REJECTION_CODES, rejectionText } from '../src/model/rejection.ts';
import { offer } from './claims.ts';

const OFFERED = '2026-08-29T14:00:00.000Z';
const answer = (changes: Partial<QueuedAnswer> = {}): QueuedAnswer => ({
  claimId: 'claim-1',
  answer: 'accept',
  svcId: 'SVC-1',
  title: 'Marisol Delgado',
  firm: 'Gulf Adjusting Partners',
  offeredAt: OFFERED,
  at: 1000,
  ...changes,
});

type Found = { status: string; offered_at?: string; closed_at?: string | null } | null;

/** A service with these responses, and the calls it got. */
function serviceWith(response: AnswerResponse['kind'], found: Found = null) {
  const calls: string[] = [];
  const service: AnswerService = {
    async post() {
      calls.push('post');
      return { kind: response };
    },
    async read() {
      calls.push('read');
      if (found === null) return null;
      const { status, offered_at = OFFERED, closed_at = null } = found;
      const assignment = { status, adjuster_svc_id: 'SVC-1', responded_at: null, rejection_reason: null };
      return { assignment, offered_at, closed_at } as Awaited<ReturnType<AnswerService['read']>>;
    },
  };
  return { service, calls };
}

describe('an answer', () => {
  test('is held until its undo time is over, and can be taken back until it is sent', () => {
    expect(answerState(undefined, 0)).toBe('none');
    expect(answerState(answer({ sendAt: 6000 }), 5999)).toBe('held');
    expect(answerState(answer({ sendAt: 6000 }), 6000)).toBe('due');
    expect(answerState(answer(), 0)).toBe('due');
    expect(answerState(answer({ sendAt: 6000, tried: true }), 0)).toBe('tried');
    expect((['none', 'held', 'due', 'tried'] as const).map(canUndo)).toEqual([false, true, true, false]);
  });

  test('that is held longest is not waited for by the others', () => {
    const queue = [answer({ sendAt: 9000 }), answer({ sendAt: 7000 }), answer({ sendAt: 5000 })];
    expect(nextDueAt(queue, 6000)).toBe(7000);
    expect(nextDueAt(queue, 9000)).toBeUndefined();
  });

  test('is taken back alone while earlier ones are held too, or with those given by the same tap', () => {
    const [first, second, third] = [answer(), answer({ at: 2000 }), answer({ at: 2000, claimId: 'claim-3' })];
    expect(lastGiven([first, second])).toEqual([second]);
    expect(lastGiven([first, second, third])).toEqual([second, third]);
    expect(lastGiven([])).toEqual([]);
  });
});

describe('sending an answer', () => {
  test('posts it once and reads nothing when it is the first attempt', async () => {
    const { service, calls } = serviceWith('done');
    expect(await sendAnswer(answer(), service)).toBe('accepted');
    expect(await sendAnswer(answer({ answer: 'reject' }), service)).toBe('rejected');
    expect(calls).toEqual(['post', 'post']);
  });

  test('does not post it again when the lost attempt has arrived', async () => {
    const { service, calls } = serviceWith('done', { status: 'accepted' });
    expect(await sendAnswer(answer({ tried: true }), service)).toBe('accepted');
    expect(calls).toEqual(['read']);
  });

  test('posts it again when the lost attempt has not arrived', async () => {
    const { service, calls } = serviceWith('done', { status: 'pending_acceptance' });
    expect(await sendAnswer(answer({ tried: true }), service)).toBe('accepted');
    expect(calls).toEqual(['read', 'post']);
  });

  test('leaves a later offer of the same claim unanswered', async () => {
    const later = { status: 'pending_acceptance', offered_at: '2026-08-30T00:00:00.000Z' };
    const { service, calls } = serviceWith('done', later);
    expect(await sendAnswer(answer({ tried: true, answer: 'reject' }), service)).toBe('offeredAgain');
    expect(calls).toEqual(['read']);
  });

  test('counts a rejection as done when the claim can no longer be read', async () => {
    const { service } = serviceWith('done');
    expect(await sendAnswer(answer({ tried: true, answer: 'reject' }), service)).toBe('rejected');
    expect(await sendAnswer(answer({ tried: true }), service)).toBe('gone');
  });

  test('shows that this adjuster accepted the claim before, on another device', async () => {
    const { service } = serviceWith('offer_not_pending', { status: 'accepted' });
    expect(await sendAnswer(answer({ answer: 'reject' }), service)).toBe('alreadyAccepted');
    expect(await sendAnswer(answer(), service)).toBe('accepted');
  });

  test.each([
    ['not_found', null, 'gone'],
    ['refused', null, 'refused'],
    ['offer_not_pending', { status: 'unassigned' }, 'gone'],
    ['offer_not_pending', { status: 'pending_acceptance', closed_at: OFFERED }, 'gone'],
  ] as const)('shows the response %s for the claim %j as %s', async (response, found, result) => {
    expect(await sendAnswer(answer(), serviceWith(response, found).service)).toBe(result);
  });
});

describe('a rejection', () => {
  test('tells the firm a standard reason, own words, or both', () => {
    expect(rejectionText(null, '  ')).toBeUndefined();
    expect(rejectionText('too_far', '')).toBe('Too far away');
    expect(rejectionText(null, ' Bridge is out. ')).toBe('Bridge is out.');
    expect(rejectionText('too_far', 'Bridge is out.')).toBe('Too far away: Bridge is out.');
  });

  test('with a standard reason and the longest own words is within the limit', () => {
    const lengths = [null, ...REJECTION_CODES].map(
      (code) => rejectionText(code, 'x'.repeat(maxFreeTextLength(code, 1000)))?.length,
    );
    expect(new Set(lengths)).toEqual(new Set([1000]));
  });
});

describe('the history of offers', () => {
  test('has no personal data of the policyholder', () => {
    const claim = offer();
    const text = JSON.stringify(pastOffer(claim, 'rejected', 1, 'Too far away'));
    const { policyholder, loss_location, policy } = claim;
    const personal = [
      policyholder.first_name,
      policyholder.last_name,
      policyholder.phone,
      policyholder.email,
      loss_location.street,
      policy.number,
    ];
    expect(personal.filter((part) => part !== undefined && text.includes(part))).toEqual([]);
    expect(text).toContain(claim.claim_number);
  });

  test('lists each offer once, newest first, and a rejected one does not become withdrawn', () => {
    const [one, two] = [offer(), offer()];
    const known = withPastOffers([], [pastOffer(one, 'rejected', 1)]);
    const all = withPastOffers(known, [pastOffer(one, 'withdrawn', 2), pastOffer(two, 'withdrawn', 3)]);
    expect(all.map(({ claimId, result }) => [claimId, result])).toEqual([
      [two.id, 'withdrawn'],
      [one.id, 'rejected'],
    ]);
  });
});
