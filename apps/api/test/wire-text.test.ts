import { describe, expect, test } from '@jest/globals';
import type { ClaimView } from '@svc/application';
import fc from 'fast-check';
import { asciiJson } from '../src/http/wire/ascii-json.ts';
import { claimToWire } from '../src/http/wire/claim.ts';
import { toDateTime } from '../src/http/wire/time.ts';

describe('a time on the wire', () => {
  test('reads as the standard writes it, whatever was written before', () => {
    const instants = fc.integer({
      min: Date.parse('0001-01-01T00:00:00Z'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    });
    fc.assert(
      fc.property(instants, (instant) => expect(toDateTime(instant)).toBe(new Date(instant).toISOString())),
    );
  });

  test.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:00:00.000Z',
  ])('stands at the edge of a day: %s', (text) => {
    expect(toDateTime(Date.parse(text))).toBe(text);
  });
});

describe('JSON in ASCII', () => {
  test('means what it was made from, and holds nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = asciiJson(value);
        expect(text).toMatch(/^[\x20-\x7e]*$/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

test('a claim is written as one JSON document, with what was sent to the letter', () => {
  const moving = fc.record({
    status: fc.constantFrom('pending_acceptance', 'accepted', 'rejected', 'unassigned'),
    adjuster: fc.string({ unit: 'grapheme', minLength: 1 }),
    respondedAt: fc.option(fc.integer({ min: 0, max: 4e12 })),
    rejectionReason: fc.option(fc.string({ unit: 'grapheme' })),
  });
  fc.assert(
    fc.property(
      moving,
      fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
      (assignment, sent) => {
        const content = Object.fromEntries(
          Object.entries(sent).map(([name, value]) => [`sent ${name}`, value]),
        );
        const claim = {
          id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
          environment: 'test',
          createdAt: 1_700_000_000_000,
          updatedAt: 1_700_000_000_001,
          assignment: { ...assignment, offeredAt: 0 },
          asSent: asciiJson(content),
        } as unknown as ClaimView;
        expect(JSON.parse(claimToWire(claim))).toEqual({
          ...JSON.parse(JSON.stringify(content)),
          id: claim.id,
          test: true,
          created_at: '2023-11-14T22:13:20.000Z',
          updated_at: '2023-11-14T22:13:20.001Z',
          assignment: {
            status: assignment.status,
            adjuster_svc_id: assignment.adjuster,
            responded_at:
              assignment.respondedAt === null ? null : new Date(assignment.respondedAt).toISOString(),
            rejection_reason: assignment.rejectionReason,
          },
        });
      },
    ),
  );
});
