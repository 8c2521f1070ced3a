import { expect, test } from '@jest/globals';
import { CHECK_TEXTS, type ClaimView, type LoggedRequest } from '@svc/application';
import {
  type ClaimId,
  type ClaimWork,
  type EnteredCredentials,
  type FirmClocks,
  type FirmId,
  type KeyId,
  NO_CLOCKS,
} from '@svc/domain';
import fc from 'fast-check';
import { asciiJson } from '../src/http/serialization/ascii-json.ts';
import { clocksVersion } from '../src/http/serialization/board.ts';
import { claimToWire, workVersion } from '../src/http/serialization/claim.ts';
import { credentialsVersion } from '../src/http/serialization/credentials.ts';
import { readinessToWire } from '../src/http/serialization/readiness.ts';
import { anyCharacter } from './any-character.ts';

test('JSON in ASCII is equivalent to JSON.stringify, with ASCII characters only', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = asciiJson(value);
      expect(text).toMatch(/^[\x20-\x7f]*$/);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('a claim is serialized as one ASCII document with the unchanged content, however that is stored', () => {
  const moving = fc.record({
    stored: fc.constantFrom(asciiJson, JSON.stringify),
    status: fc.constantFrom('pending_acceptance', 'accepted', 'rejected', 'unassigned'),
    adjuster: fc.string({ unit: anyCharacter, minLength: 1 }),
    respondedAt: fc.option(fc.integer({ min: 0, max: 4e12 })),
    rejectionReason: fc.option(fc.string({ unit: anyCharacter })),
  });
  fc.assert(
    fc.property(
      moving,
      fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
      ({ stored, ...assignment }, sent) => {
        const content = Object.fromEntries(
          Object.entries(sent).map(([name, value]) => [`sent ${name}`, value]),
        );
        const claim = {
          ...{ id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', environment: 'test' },
          ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_001 },
          ...{ assignment: { ...assignment, offeredAt: 0 }, asSent: stored(content) },
        } as unknown as ClaimView;
        const json = claimToWire(claim);
        expect(json).toMatch(/^[\x20-\x7f]*$/);
        expect(JSON.parse(json)).toEqual({
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

const DATES = ['plannedVisitDate', 'plannedVisitTime', 'preliminaryReportDate', 'proofOfLossDate'];
const WORK = ['contactDate', 'inspectionDate', 'notes'];

test('work has another version for each entry that differs, and none for its contacts', () => {
  const empty: ClaimWork = { contactDate: null, inspectionDate: null, notes: null };
  const works = [
    empty,
    ...WORK.map((name) => ({ ...empty, [name]: '2026-09-01' })),
    ...DATES.map((name) => ({ ...empty, details: { [name]: '2026-09-01' } })),
  ];
  expect(new Set(works.map(workVersion)).size).toBe(8);
  const contacts = [{ id: '1', at: 0, result: 'reached' }] as const;
  for (const details of [{ contacts }, { proofOfLossDate: null }])
    expect(workVersion({ ...empty, details })).toBe(workVersion(empty));
});

test('credentials have another version for each value that differs', () => {
  const fcn = { number: '1', categories: ['rcbap'], expiresOn: '2027-01-01' } as const;
  const license = { state: 'FL', kind: 'resident', number: '1', expiresOn: '2027-01-01' } as const;
  const others: EnteredCredentials[] = [
    ...[{}, { fcn }, { licenses: [license] }],
    ...[{ number: '2' }, { categories: [] }, { expiresOn: '2027-01-02' }].map((changes) => ({
      fcn: { ...fcn, ...changes },
      licenses: [license],
    })),
    ...[{ state: 'TX' }, { kind: 'emergency' as const }, { number: '2' }, { expiresOn: '2027-01-02' }].map(
      (changes) => ({ fcn, licenses: [{ ...license, ...changes }] }),
    ),
    { fcn, licenses: [license, { ...license, state: 'TX' }] },
  ];
  const versions = others.map(credentialsVersion);
  expect(new Set([...versions, credentialsVersion({ licenses: [license], fcn })]).size).toBe(12);
  expect(credentialsVersion({ licenses: [] })).toBe(credentialsVersion({}));
});

test('the clocks of a firm have another version for each value that differs, whenever they were changed', () => {
  const rules = [
    {},
    ...[{ carrier: 'Bayou' }, { catCode: 'FL26-09' }],
    ...[{ contactHours: 1 }, { inspectionHours: 1 }, { reportDays: 1 }, { reportDays: 2 }],
  ];
  const clocks: FirmClocks[] = [
    NO_CLOCKS,
    { ...NO_CLOCKS, timeZone: 'America/Chicago' },
    ...rules.map((rule) => ({ ...NO_CLOCKS, rules: [rule] })),
    ...[rules, rules.toReversed()].map((ordered) => ({ ...NO_CLOCKS, rules: ordered })),
  ];
  expect(new Set(clocks.map(clocksVersion)).size).toBe(11);
  expect(clocksVersion({ ...NO_CLOCKS, changedAt: 1 })).toBe(clocksVersion(NO_CLOCKS));
});

/** Of which no rule is asked. */
const valued = <T>(values: object): T => values as T;

test('a check of readiness shows the latest ten findings, with ten requests each', () => {
  const request = (n: number): LoggedRequest => ({
    ...{ requestId: `r${n}`, at: n, firmId: 'F' as FirmId, keyId: `k${n}` as KeyId, environment: 'test' },
    ...{
      ...{ route: n === 0 ? 'simulated fault' : 'GET /v1/claims', status: 429, code: 'rate_limited' },
      ...{ places: [], durationMs: 1 },
    },
    // Those of agents are not graded.
    ...(n !== 1 && { behavior: { operation: 'GET /v1/claims' } }),
  });
  const requests = Array.from({ length: 11 }, (_, n) => request(n));
  const findings = Array.from({ length: 11 }, (_, n) => ({
    ...{ detail: `d${n}`, claimId: `c${n}` as ClaimId, requests },
  }));
  const [check] = Object.keys(CHECK_TEXTS) as (keyof typeof CHECK_TEXTS)[];
  if (check === undefined) throw new Error('There is a check.');
  const state = { since: 1000, until: 2000, checks: [{ check, state: 'failed', passed: 3, findings }] };
  const wire = readinessToWire(valued(state));
  const found = wire.checks[0]?.findings ?? [];
  expect({
    ...wire,
    checks: [{ ...wire.checks[0], findings: found.map(({ detail, claim_id }) => [detail, claim_id]) }],
  }).toEqual({
    ...{ since: '1970-01-01T00:00:01.000Z', until: '1970-01-01T00:00:02.000Z' },
    checks: [
      {
        ...{ check, state: 'failed', ...CHECK_TEXTS[check], passed: 3, finding_count: 11 },
        findings: Array.from({ length: 10 }, (_, n) => [`d${n + 1}`, `c${n + 1}`]),
      },
    ],
  });
  const shown = { operation: 'GET /v1/claims', status: 429, code: 'rate_limited' };
  expect(found.at(-1)?.requests).toEqual(
    Array.from({ length: 10 }, (_, n) => ({
      ...{
        ...shown,
        request_id: `r${n}`,
        at: `1970-01-01T00:00:00.00${n}Z`,
        key_id: `k${n}`,
        simulated: n === 0,
      },
    })),
  );
});
