import { describe, expect, it, jest } from '@jest/globals';
import {
  type CrossFieldRule,
  crossFieldRule,
  endpoint,
  endpoints,
  parseRequest,
  smallestClaim,
} from '../src/index.ts';
import { claimWith, errorsOf } from './requests.ts';

const [pair] = endpoints.sendClaim.rules;

const send = (body: unknown, rules: readonly CrossFieldRule[] = endpoints.sendClaim.rules) =>
  parseRequest({ ...endpoints.sendClaim, rules }, { headers: { 'idempotency-key': 'k' }, body });
const pointers = (body: unknown) => errorsOf(send(body)).map(({ pointer }) => pointer);

describe('a rule on two fields', () => {
  it('is the same for a claim of the desk, and allows a policy of one day', () => {
    expect(endpoints.sendBoardClaim.rules).toBe(endpoints.sendClaim.rules);
    const endingOn = (expiration_date: string) =>
      pointers(claimWith('/policy', { number: '1', effective_date: '2026-03-14', expiration_date }));
    expect([endingOn('2026-03-14'), endingOn('2026-03-13')]).toEqual([[], ['/policy/expiration_date']]);
  });

  it('is reported together with errors of other fields', () => {
    const building = {
      occupancy_type: 'single_family_home',
      building_type: 'barn',
      flood_zone: 'A08',
      number_of_units: 0,
    };
    expect(pointers(claimWith('/building', building))).toEqual([
      '/building/flood_zone',
      '/building/number_of_units',
      '/building/building_type',
    ]);
    expect(pointers({ building: { building_type: 'barn' } })).toContain('/building/building_type');
  });

  it.each([
    [{ occupancy_type: 'house', building_type: 'barn' }, ['/building/occupancy_type']],
    [{ occupancy_type: null, building_type: 'barn' }, ['/building/occupancy_type']],
    [{ occupancy_type: 'single_family_home', building_type: 'igloo' }, ['/building/building_type']],
    [{ occupancy_type: 1, building_type: 2 }, ['/building/occupancy_type', '/building/building_type']],
    ['a house', ['/building']],
    [[{ building_type: 'barn' }], ['/building']],
  ])('does not run on invalid fields: %j', (building, expected) => {
    expect(pointers(claimWith('/building', building))).toEqual(expected);
  });

  it.each([
    [['/building/occupancy_type'], { building: 'a house' }, ['/building']],
    [['/building'], { building: { occupancy_type: 'house' } }, ['/building/occupancy_type']],
    [['/loss'], { loss_location: 'Sanibel' }, ['/loss_location', '/loss']],
    [['/loss_location'], { loss: {} }, ['/loss/date', '/loss_location']],
    [['/loss', '/policy/number'], { loss: {} }, ['/loss/date']],
  ] as const)('that reads %j runs on %j unless one of its fields is invalid', (reads, changes, expected) => {
    const failing = { reads, check: () => 'Must be another.' };
    expect(errorsOf(send({ ...smallestClaim, ...changes }, [failing])).map(({ pointer }) => pointer)).toEqual(
      expected,
    );
  });

  it('runs once with the sent values, and not at all if one of them is invalid', () => {
    const check = jest.fn((_effective: string | undefined, _expiration: string | undefined) => null);
    const term = crossFieldRule(
      endpoints.sendClaim.body,
      ['/policy/effective_date', '/policy/expiration_date'],
      check,
    );
    const policy = { number: '1', effective_date: '2026-03-14', expiration_date: '2027-03-14' };
    expect(send(claimWith('/policy', policy), [term]).ok).toBe(true);
    expect(check.mock.calls).toEqual([['2026-03-14', '2027-03-14']]);
    send(claimWith('/policy', { ...policy, expiration_date: '2027-02-30' }), [term]);
    expect(check).toHaveBeenCalledTimes(1);
    send(claimWith('/policy', { number: '1' }), [term]);
    expect(check.mock.lastCall).toEqual([undefined, undefined]);
  });

  it('is typed by the fields it reads', () => {
    // @ts-expect-error the rule is about another body
    endpoint({ ...endpoints.offerClaim, rules: [pair] });
    // @ts-expect-error a claim has no such field
    crossFieldRule(endpoints.sendClaim.body, ['/building/color'], () => null);
    const offer = crossFieldRule(endpoints.offerClaim.body, ['/adjuster_svc_id'], (id: string) =>
      id === 'x' ? 'Must be another.' : null,
    );
    const request = {
      params: { id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' },
      headers: { 'idempotency-key': 'k' },
      body: { adjuster_svc_id: 'x' },
    };
    expect(errorsOf(parseRequest({ ...endpoints.offerClaim, rules: [offer] }, request))).toEqual([
      { pointer: '/adjuster_svc_id', detail: 'Must be another.' },
    ]);
  });
});
