import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptClaim, getClaim, offerClaim, sentClaim } from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let member: { svcId: string; token: string };
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

const address = { street: '200 Harbor Plaza', city: 'Tampa', state: 'FL', zip: '33602' };

let carriers = 0;
/** A carrier name that no firm has used. */
const freshName = (): string => {
  carriers += 1;
  return `Palmetto Mutual ${carriers}`;
};

beforeAll(async () => {
  firm = await service.firm();
  member = await service.member(firm);
});

type Carrier = Record<string, unknown>;
const send = async (carrier: Carrier): Promise<string> =>
  (await sentClaim(service, firm.live, member.svcId, { carrier })).id;
/** The carrier as printed on the adjuster's forms. */
const printed = async (id: string): Promise<Carrier> => {
  const response = await service.call('GET', `/app/v1/claims/${id}`, { as: member.token });
  expect(response.status).toBe(200);
  return response.json.carrier;
};

describe('the forms print', () => {
  test('only the name if nothing else is known', async () => {
    const name = freshName();
    expect(await printed(await send({ name }))).toEqual({ name });
  });

  test('the details of the claim, with missing ones filled in from earlier claims of the firm', async () => {
    const name = freshName();
    await send({ name, phone: '813-555-0100' });
    await send({ name, email: 'claims@palmetto.example' });
    await send({ name, address });
    expect(await printed(await send({ name }))).toEqual({
      name,
      phone: '813-555-0100',
      email: 'claims@palmetto.example',
      address,
    });
    expect(await printed(await send({ name, email: 'own@palmetto.example' }))).toEqual({
      name,
      phone: '813-555-0100',
      email: 'own@palmetto.example',
      address,
    });
  });

  test('the same details in the list, the acceptance and the claim', async () => {
    const name = freshName();
    await send({ name, phone: '813-555-0100', address });
    const id = await send({ name });
    const list = await service.call('GET', '/app/v1/claims?limit=200', { as: member.token });
    const listed = list.json.data.find((claim: { id: string }) => claim.id === id);
    const accepted = await acceptClaim(service, member.token, id);
    const expected = { name, phone: '813-555-0100', address };
    expect([listed.carrier, accepted.json.carrier, await printed(id)]).toEqual([
      expected,
      expected,
      expected,
    ]);
  });
});

test('the firm reads the carrier exactly as the claim sent it', async () => {
  const name = freshName();
  await send({ name, phone: '813-555-0100', email: 'claims@palmetto.example', address });
  const sent = await sentClaim(service, firm.live, member.svcId, {
    carrier: { email: 'x@y.example', name: name.toUpperCase() },
  });
  const expected = JSON.stringify({ email: 'x@y.example', name: name.toUpperCase() });
  expect(JSON.stringify(sent.carrier)).toBe(expected);
  expect(JSON.stringify((await getClaim(service, firm.live, sent.id)).json.carrier)).toBe(expected);
  const second = await service.member(firm);
  const offered = await offerClaim(service, firm.live, sent.id, second.svcId);
  expect(JSON.stringify(offered.json.carrier)).toBe(expected);
});

test('the forms use a special limits cap of 2500 dollars if none was sent, and the firm API returns none', async () => {
  const cap = async (coverages?: Carrier) => {
    const sent = await sentClaim(service, firm.live, member.svcId, coverages && { coverages });
    const app = await service.call('GET', `/app/v1/claims/${sent.id}`, { as: member.token });
    return [sent.coverages, app.json.coverages];
  };
  expect(await cap()).toEqual([undefined, { special_limits_cap: 2500 }]);
  expect(await cap({})).toEqual([{}, { special_limits_cap: 2500 }]);
  expect(await cap({ building_limit: 1 })).toEqual([
    { building_limit: 1 },
    { building_limit: 1, special_limits_cap: 2500 },
  ]);
  expect(await cap({ special_limits_cap: 0 })).toEqual([
    { special_limits_cap: 0 },
    { special_limits_cap: 0 },
  ]);
});
