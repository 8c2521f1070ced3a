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
const other = { street: '9 Elsewhere Rd', city: 'Mobile', state: 'AL', zip: '36602' };

let carriers = 0;
/** A carrier's name that no book holds yet. */
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
/** What the adjuster's forms print. */
const printed = async (id: string): Promise<Carrier> => {
  const answer = await service.call('GET', `/app/v1/claims/${id}`, { as: member.token });
  expect(answer.status).toBe(200);
  return answer.json.carrier;
};

describe('the forms print', () => {
  test('a name alone where that is all there is', async () => {
    const name = freshName();
    expect(await printed(await send({ name }))).toEqual({ name });
  });

  test('what the claim sent, and what it did not send from what the firm holds', async () => {
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

  test('on an earlier claim what was learned later, and its own details ever as it sent them', async () => {
    const name = freshName();
    const first = await send({ name, phone: '813-555-0100' });
    const second = await send({ name, phone: '813-555-0999', email: 'later@palmetto.example' });
    expect(await printed(first)).toEqual({
      name,
      phone: '813-555-0100',
      email: 'later@palmetto.example',
    });
    expect(await printed(second)).toEqual({
      name,
      phone: '813-555-0999',
      email: 'later@palmetto.example',
    });
  });

  test('an address as one piece: never parts of two', async () => {
    const name = freshName();
    await send({ name, address });
    expect((await printed(await send({ name, address: other }))).address).toEqual(other);
    expect((await printed(await send({ name }))).address).toEqual(address);
  });

  test('the details on every door of the app: the list, the acceptance, the claim', async () => {
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

describe('what is held', () => {
  test.each([
    ['phone', { phone: '813-555-0100' }, { phone: '813-555-0999' }],
    ['email', { email: 'first@palmetto.example' }, { email: 'second@palmetto.example' }],
    ['address', { address }, { address: other }],
  ])('is never overwritten: %s', async (_, held, sent) => {
    const name = freshName();
    await send({ name, ...held });
    expect(await printed(await send({ name, ...sent }))).toEqual({ name, ...sent });
    expect(await printed(await send({ name }))).toEqual({ name, ...held });
  });

  test.each([
    ['phone', { phone: '(813) 555-0100' }, { phone: '+1 813.555.0100' }],
    ['phone', { phone: '18135550100' }, { phone: '813-555-0100' }],
    ['email', { email: 'Claims@Palmetto.example' }, { email: 'claims@palmetto.EXAMPLE' }],
    ['address', { address }, { address: { ...address, street: ' 200  HARBOR plaza ', zip: '33602-1234' } }],
  ])('stays as it was first written when the same comes in other writing: %s', async (_, held, sent) => {
    const name = freshName();
    await send({ name, ...held });
    expect(await printed(await send({ name, ...sent }))).toEqual({ name, ...sent });
    expect(await printed(await send({ name }))).toEqual({ name, ...held });
  });

  test('is filled in one by one: phone, email and address each for itself', async () => {
    const name = freshName();
    await send({ name, phone: '813-555-0100' });
    await send({ name, phone: '813-555-0999', email: 'claims@palmetto.example', address });
    expect(await printed(await send({ name }))).toEqual({
      name,
      phone: '813-555-0100',
      email: 'claims@palmetto.example',
      address,
    });
  });

  test('comes from test claims for live ones, and the other way round', async () => {
    const name = freshName();
    await sentClaim(service, firm.test, firm.account.manual, { carrier: { name, phone: '813-555-0100' } });
    await send({ name, email: 'claims@palmetto.example' });
    const expected = { name, phone: '813-555-0100', email: 'claims@palmetto.example' };
    expect(await printed(await send({ name }))).toEqual(expected);
    const { id } = await sentClaim(service, firm.test, firm.account.manual, { carrier: { name } });
    const token = await service.session(firm.account.manual);
    const shown = await service.call('GET', `/app/v1/claims/${id}`, { as: token });
    expect(shown.json.carrier).toEqual(expected);
  });

  test('is not touched by a claim that was refused', async () => {
    const name = freshName();
    const { external_id } = await sentClaim(service, firm.live, member.svcId, { carrier: { name } });
    await service.call('POST', '/v1/claims', {
      as: firm.live,
      headers: { 'Idempotency-Key': `refused-${name}` },
      body: {
        external_id,
        claim_number: `CLM-${name}`,
        adjuster_svc_id: member.svcId,
        loss: { date: '2024-09-26' },
        policy: { number: '1' },
        carrier: { name, phone: '813-555-0100' },
        loss_location: address,
        policyholder: { company_name: 'A', phone: '1' },
      },
    });
    expect(await printed(await send({ name }))).toEqual({ name });
  });
});

describe('a name', () => {
  test.each([
    ['in capitals', (name: string) => name.toUpperCase()],
    ['in small letters', (name: string) => name.toLowerCase()],
    ['with blanks around it', (name: string) => `  ${name}\t`],
    ['with more blanks in it', (name: string) => name.replaceAll(' ', ' \u00a0  ')],
    ['with capitals beyond ASCII', (name: string) => name.replace('Palmetto', 'PALMETTO')],
  ])('%s is the same carrier, printed as this claim wrote it', async (_, written) => {
    const name = freshName();
    await send({ name, phone: '813-555-0100' });
    expect(await printed(await send({ name: written(name) }))).toEqual({
      name: written(name),
      phone: '813-555-0100',
    });
  });

  test.each([
    ['Éclair Assurance', 'éCLAIR assurance'],
    ['Straße Mutual', 'STRASSE MUTUAL'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ])('%s is %s', async (one, same) => {
    await send({ name: one, phone: '1' });
    expect((await printed(await send({ name: same }))).phone).toBe('1');
  });

  test.each([
    ['a full stop', (name: string) => `${name}.`],
    ['a missing letter', (name: string) => name.slice(1)],
    ['an accent', (name: string) => name.replace('a', 'á')],
    ['no blank', (name: string) => name.replace(' ', '')],
    ['a hyphen for a blank', (name: string) => name.replace(' ', '-')],
    ['Inc', (name: string) => `${name} Inc`],
  ])('that differs by %s is another carrier', async (_, written) => {
    const name = freshName();
    await send({ name, phone: '813-555-0100' });
    expect(await printed(await send({ name: written(name) }))).toEqual({ name: written(name) });
  });
});

test('what the firm reads is the carrier as that claim sent it, whatever else is held', async () => {
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

test('the forms take 2500 dollars for the special limits where no cap was sent, and the answer none', async () => {
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
