import { describe, expect, test } from '@jest/globals';
import { pastOffer, withPastOffers } from '../src/model/history.ts';
import { receiptFacts } from '../src/model/receipt.ts';
import { maxFreeTextLength, REJECTION_CODES, rejectionText } from '../src/model/rejection.ts';
import { offer } from './claims.ts';

test('a receipt is read as it was signed, in any letters', () => {
  // Base64url writes some of these in its own way.
  const said = { note: 'ñ>?ÿ~ ñ>?ÿ~ ñ>?ÿ~', decided_by: { rule: 'withdrawn_by_firm' } };
  const payload = Buffer.from(JSON.stringify(said)).toString('base64url');
  expect(receiptFacts(`header.${payload}.signature`)).toEqual(said);
});

describe('a rejection', () => {
  test('tells the firm a standard reason, own words, or both', () => {
    expect(rejectionText(null, '  ')).toBeUndefined();
    expect(REJECTION_CODES.map((code) => [code, rejectionText(code, '')])).toEqual([
      ...[
        ['too_far', 'Too far away'],
        ['workload', 'Too many open claims'],
      ],
      ...[
        ['dates', 'Not available on these dates'],
        ['conflict_of_interest', 'Conflict of interest'],
      ],
      ['claim_type', 'Not my type of claim'],
    ]);
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
    const { id, claim_number, firm, loss_location, offered_at, ...others } = offer();
    const claim = { ...others, id, claim_number, firm, loss_location, offered_at };
    expect(pastOffer(claim, 'rejected', 1, 'Too far away')).toEqual({
      ...{ claimId: id, claimNumber: claim_number, firm: firm.name, offeredAt: offered_at, endedAt: 1 },
      ...{ city: loss_location.city, state: loss_location.state, result: 'rejected', reason: 'Too far away' },
    });
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
