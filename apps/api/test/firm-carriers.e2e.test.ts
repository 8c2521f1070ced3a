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

  test('details learned later on earlier claims, without changing what those claims sent', async () => {
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

  test('an address as a whole, never merged from two', async () => {
    const name = freshName();
    await send({ name, address });
    expect((await printed(await send({ name, address: other }))).address).toEqual(other);
    expect((await printed(await send({ name }))).address).toEqual(address);
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

describe('a stored carrier detail', () => {
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
  ])('keeps its first spelling when the same value is sent in another one: %s', async (_, held, sent) => {
    const name = freshName();
    await send({ name, ...held });
    expect(await printed(await send({ name, ...sent }))).toEqual({ name, ...sent });
    expect(await printed(await send({ name }))).toEqual({ name, ...held });
  });

  test('is filled in separately for phone, email and address', async () => {
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

  test('is shared between test and live claims', async () => {
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

  test('is not changed by a claim that failed', async () => {
    const name = freshName();
    const { external_id } = await sentClaim(service, firm.live, member.svcId, { carrier: { name } });
    await service.call('POST', '/v1/claims', {
      as: firm.live,
      headers: { 'Idempotency-Key': `failed-${name}` },
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

describe('a carrier name', () => {
  test.each([
    ['in upper case', (name: string) => name.toUpperCase()],
    ['in lower case', (name: string) => name.toLowerCase()],
    ['with white space around it', (name: string) => `  ${name}\t`],
    ['with more white space in it', (name: string) => name.replaceAll(' ', ' \u00a0  ')],
  ])('%s is the same carrier, printed as the claim spelled it', async (_, written) => {
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
  ])('is the same in another case beyond ASCII: %s and %s', async (one, same) => {
    await send({ name: one, phone: '1' });
    expect((await printed(await send({ name: same }))).phone).toBe('1');
  });

  test.each([
    ['a period', (name: string) => `${name}.`],
    ['a missing letter', (name: string) => name.slice(1)],
    ['an accent', (name: string) => name.replace('a', 'á')],
    ['a missing space', (name: string) => name.replace(' ', '')],
    ['a hyphen for a space', (name: string) => name.replace(' ', '-')],
    ['Inc', (name: string) => `${name} Inc`],
  ])('that differs by %s is another carrier', async (_, written) => {
    const name = freshName();
    await send({ name, phone: '813-555-0100' });
    expect(await printed(await send({ name: written(name) }))).toEqual({ name: written(name) });
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
