import { describe, expect, test } from '@jest/globals';
import { pastOffer, withPastOffers } from '../src/model/history.ts';
import { maxFreeTextLength, REJECTION_CODES, rejectionText } from '../src/model/rejection.ts';
import { offer } from './claims.ts';

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
    const { first_name, last_name, phone, email } = claim.policyholder;
    const personal = [first_name, last_name, phone, email, claim.loss_location.street, claim.policy.number];
    expect(personal.filter((part) => part !== undefined && text.includes(part))).toEqual([]);
    expect(text).toContain(claim.claim_number);
  });

  test('lists each offer once, newest first, and an answered one does not become withdrawn', () => {
    const [one, two] = [offer(), offer()];
    const known = withPastOffers([], [pastOffer(one, 'rejected', 1)]);
    const all = withPastOffers(known, [pastOffer(one, 'withdrawn', 2), pastOffer(two, 'withdrawn', 3)]);
    expect(all.map(({ claimId, result }) => [claimId, result])).toEqual([
      [two.id, 'withdrawn'],
      [one.id, 'rejected'],
    ]);
  });

  test('lists a claim that is offered again twice, keeps the first result of an answer, and the latest 300', () => {
    const one = offer();
    const again = { ...one, offered_at: '2026-09-01T00:00:00.000Z' };
    const known = withPastOffers(
      [],
      [pastOffer(one, 'late', 1), pastOffer(again, 'rejected', 2, 'Too far away')],
    );
    expect(withPastOffers(known, [pastOffer(one, 'accepted', 3)])).toMatchObject([
      { offeredAt: again.offered_at, result: 'rejected', reason: 'Too far away', firm: one.firm.name },
      { offeredAt: one.offered_at, result: 'late', endedAt: 1, city: one.loss_location.city },
    ]);
    const many = Array.from({ length: 301 }, (_, n) => pastOffer(offer(), 'accepted', n));
    expect(withPastOffers([], many).map(({ endedAt }) => endedAt)).toEqual(
      many
        .map(({ endedAt }) => endedAt)
        .slice(1)
        .reverse(),
    );
  });

  test('lists a withdrawn offer as answered too late once its answer has arrived', () => {
    const one = offer();
    for (const result of ['accepted', 'late'] as const) {
      const known = withPastOffers([], [pastOffer(one, 'withdrawn', 1)]);
      const all = withPastOffers(known, [pastOffer(one, result, 2)]);
      expect(withPastOffers(all, [pastOffer(one, 'withdrawn', 3)])).toMatchObject([{ result, endedAt: 2 }]);
    }
  });
});
