import { expect, test } from '@jest/globals';
import { endpoints } from '@svc/contract';
import { startTcpProxy } from '../../../packages/adapter-postgres/test/tcp-proxy.ts';
import { createDatabase, withClient } from '../../../tools/services/postgres.ts';
import { request, sendBytes } from './raw-http.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  startServiceUnderTest,
} from './service-under-test.ts';

/** Prefix of all personal data, so that one search of the log finds any of it. */
const MARK = 'Zq7';
const mark = (what: string): string => `${MARK}${what}`;
const MARKED_MAIL = `${MARK.toLowerCase()}mail@example.com`;

const responses: ApiResponse[] = [];

const database = await createDatabase();
const toDatabase = await startTcpProxy(database.url);
const service = await startServiceUnderTest({ databaseUrl: toDatabase.url });

async function call(method: string, path: string, options: Parameters<ServiceUnderTest['call']>[2] = {}) {
  const response = await service.call(method, path, options);
  responses.push(response);
  return response;
}

const fullClaim = (svcId: string) =>
  claimBody(svcId, {
    loss: { date: '2024-09-26', description: mark('-loss') },
    loss_location: {
      street: mark(' Street 1'),
      street2: mark('-2'),
      city: mark('City'),
      state: 'FL',
      zip: '32625',
    },
    policyholder: {
      first_name: mark('First'),
      last_name: mark('Last'),
      company_name: mark('Company'),
      phone: `${MARK} 352-555-0199`,
      email: MARKED_MAIL,
    },
    carrier: { name: mark('Carrier'), email: MARKED_MAIL, phone: '352-555-0199' },
    instructions: mark('-instructions'),
    file_number: mark('-file'),
    external_id: mark('-external'),
    claim_number: mark('-number'),
    additional_contacts: [{ first_name: mark('A'), last_name: mark('B'), phone: '352-555-0199' }],
  });

/** What people send at the desk: a search, a file, an address and a URL. Returns the secrets shown. */
async function callTheDesk(as: string): Promise<string[]> {
  await call('GET', `/firm/v1/claims?q=${mark('First')}`, { as });
  await call('GET', `/firm/v1/claims?q=${mark('a').repeat(100)}`, { as });
  const text = `${mark('Number')},Insured First Name\n${mark('-row')},${mark('First')}\n`;
  const file = { name: mark('-file'), environment: 'live', text, dry_run: false };
  for (const changed of [
    { dry_run: true },
    {},
    { text: `"${mark('unclosed')}${text}` },
    { columns: { [mark('Number')]: mark('-field') } },
  ])
    await call('POST', '/firm/v1/imports', { as, body: { ...file, ...changed } });
  const person = { name: mark('Priya'), email: `${MARK}.priya@example.com`, role: 'auditor' };
  const invited = await call('POST', '/firm/v1/staff', { as, body: person });
  await call('POST', '/firm/v1/staff', { as, body: person });
  await call('PATCH', `/firm/v1/staff/${invited.json.id}`, { as, body: { name: mark('Renamed') } });
  const webhook = { url: `http://127.0.0.1:9/${mark('hook')}`, environment: 'live' };
  const created = await call('POST', '/firm/v1/webhooks', { as, body: webhook });
  await call('POST', `/firm/v1/webhooks/${created.json.webhook.id}/test`, { as });
  const refused = { ...webhook, url: `ftp://${mark('host')}.example/` };
  await call('POST', '/firm/v1/webhooks', { as, body: refused });
  const statuses = responses.slice(-10).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 422, 200, 201, 422, 200, 201, 200, 422]);
  return [created.json.secret];
}

/** Calls every operation, with successes and errors. Returns the secrets used. */
async function callEveryOperation(): Promise<string[]> {
  const firm = await service.firm();
  const profile = { firstName: mark('Jean'), lastName: mark('Delacroix'), email: `${MARK}.jean@example.com` };
  const jean = await service.adjuster(profile);
  const other = await service.member(firm);
  const secrets = [firm.live, firm.test, jean.token, ...Object.values(firm.signInSecret)];
  const as = firm.live;
  const idempotencyHeaders = { 'Idempotency-Key': mark('-key') };

  const invitation = {
    svc_id: jean.svcId,
    invited_as: mark('-as'),
    invited_by: mark('-by'),
    purpose: mark('-purpose'),
    note: mark('-note'),
  };
  await call('POST', '/v1/adjusters/invitations', { as, body: invitation });
  await call('POST', '/v1/adjusters/invitations', { as, body: invitation });
  await call('GET', '/app/v1/invitations', { as: jean.token });
  await call('POST', `/app/v1/invitations/${firm.id}/acceptance`, { as: jean.token });
  const body = fullClaim(jean.svcId);
  const sent = await call('POST', '/v1/claims', { as, body, headers: idempotencyHeaders });
  const claim = `/claims/${sent.json.id}`;
  await call('POST', '/v1/claims', { as, body, headers: idempotencyHeaders });
  await call('POST', '/v1/claims', { as, body, headers: { 'Idempotency-Key': 'other' } });
  await call('POST', '/v1/claims', { as, body: { ...body, file_number: 'x' }, headers: idempotencyHeaders });
  await call('GET', `/v1/claims?external_id=${mark('-external')}`, { as });
  await call('GET', `/v1/claims?${mark('unknown')}=${MARK}`, { as });
  await call('GET', `/v1/${mark('path')}`, { as });
  await call('DELETE', `/v1/adjusters/invitations/${mark('SVC')}`, { as });
  await call('GET', '/v1/adjusters', { as });
  await call('POST', '/v1/claims', {
    as,
    raw: `{"first_name":"${mark('broken')}`,
    headers: idempotencyHeaders,
  });
  await call('POST', '/v1/claims', {
    as,
    body: { [mark('field')]: mark('value') },
    headers: idempotencyHeaders,
  });
  await call('GET', '/v1/me', { as: `svc_live_${mark('wrong')}` });

  await call('POST', `/app/v1${claim}/rejection`, { as: jean.token, body: { reason: mark('-reason') } });
  await call('POST', `/v1${claim}/assignment`, {
    as,
    body: { adjuster_svc_id: jean.svcId },
    headers: { 'Idempotency-Key': 'again' },
  });
  await call('POST', `/app/v1${claim}/acceptance`, { as: jean.token });
  await call('PATCH', `/app/v1${claim}/work`, { as: jean.token, body: { notes: mark('-notes') } });
  await call('POST', `/app/v1${claim}/closure`, { as: jean.token });
  await call('PATCH', '/app/v1/me', { as: jean.token, body: { first_name: mark('New') } });
  await call('PATCH', '/app/v1/me', { as: other.token, body: { email: profile.email } });
  const subscription = {
    endpoint: `https://push.example.net/${MARK}`,
    expirationTime: null,
    keys: { p256dh: `${MARK}BA`, auth: `${MARK}BA` },
  };
  await call('PUT', `/app/v1/devices/${MARK}`, { as: jean.token, body: { subscription } });
  await call('POST', '/app/v1/sign-in-codes', { body: { email: profile.email } });
  await call('POST', '/app/v1/sessions', { body: { email: profile.email, code: '000000' } });
  const { json } = await call('POST', '/app/v1/sessions', {
    body: { svc_id: firm.account.manual, sign_in_secret: firm.signInSecret.manual },
  });
  secrets.push(json.token);
  await call('DELETE', '/app/v1/sessions/current', { as: json.token });
  const { services } = service.service;
  const created = await services.createKey(services.operator, {
    firmId: firm.id,
    environment: 'live',
    purpose: 'full_access',
    lifetimeMs: null,
  });
  secrets.push(created.secret);
  await sendBytes(service.url, request(`BREW /${MARK}`, { Authorization: `Bearer ${as}`, 'X-Name': MARK }));
  await sendBytes(service.url, request(`GET /${MARK}${'a'.repeat(20_000)}`));
  await service.call('DELETE', `/app/v1/firms/${firm.id}/membership`, { as: jean.token });

  const staff = await service.staff(firm);
  secrets.push(staff, ...(await callTheDesk(staff)));
  // Every operation also fails without the database, since errors may log the most.
  await toDatabase.cut();
  for (const { method, path, auth } of Object.values(endpoints)) {
    const target = path
      .replace('{id}', sent.json.id)
      .replace('{firm_id}', firm.id)
      .replace(/\{\w+\}/, MARK);
    await call(method, target, {
      ...(auth !== 'none' && { as: { key: firm.live, session: jean.token, staff }[auth] }),
      ...(method !== 'GET' &&
        method !== 'DELETE' && { body: target.endsWith('/claims') ? body : invitation }),
      headers: idempotencyHeaders,
    });
  }
  return secrets;
}

test('a request that fails in the database logs nothing of its body', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  // A database error whose message quotes a row.
  await withClient(database.url, async (client) => {
    // Without Citus, the setting has no effect.
    await client.query('SET citus.enable_unsafe_triggers = on');
    await client.query(`CREATE FUNCTION fail_insert() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'row %', NEW; END $$`);
    await client.query(
      'CREATE TRIGGER fail_insert BEFORE INSERT ON claims FOR EACH ROW EXECUTE FUNCTION fail_insert()',
    );
  });
  const response = await service.call('POST', '/v1/claims', {
    as: firm.live,
    body: fullClaim(svcId),
    headers: { 'Idempotency-Key': mark('-key') },
  });
  await withClient(database.url, (client) => client.query('DROP FUNCTION fail_insert CASCADE'));
  expect([response.status, response.json.code]).toEqual([500, 'internal_error']);
  const lines = service.logged.map((line) => JSON.parse(line));
  const id = response.headers.get('x-request-id');
  expect(lines.filter((line) => line.level === 'error' && line.request_id === id)).toHaveLength(1);
  for (const output of [service.logged.join(''), response.text]) {
    expect(output.toLowerCase()).not.toContain(MARK.toLowerCase());
    expect(output).not.toContain('352-555-0199');
    expect(output).not.toContain('Cedar Key');
  }
});

test('the log contains no personal data and no secrets, with or without errors', async () => {
  const secrets = await callEveryOperation();
  const log = service.logged.join('');
  expect(log.length).toBeGreaterThan(1000);
  expect(responses.some(({ status }) => status === 503)).toBe(true);
  expect(responses.some(({ status }) => status === 500)).toBe(false);

  const lower = log.toLowerCase();
  expect(lower).not.toContain(MARK.toLowerCase());
  expect(log).not.toContain('352-555-0199');
  expect(log).not.toContain('@');
  for (const secret of secrets) expect(log.includes(secret)).toBe(false);
  expect(log).not.toMatch(/svc_(live|test|app|signin)_\w{10}/);
  expect(log).not.toMatch(/postgres:\/\//);
  // The code is logged on purpose, since there is no mail server.
  expect(log.match(/"sign_in_code":"\d{6}"/g)).toHaveLength(1);
});
