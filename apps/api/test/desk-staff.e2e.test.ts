import { describe, expect, test } from '@jest/globals';
import type { FirmId, StaffId, StaffRef, StaffRole } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { operatorOf } from '../../../tools/services/operator.ts';
import { expectProblem } from './problem-shape.ts';
import { signInCodesIn, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

const service = await startServiceUnderTest();
const firm = await service.firm();

const staffOf = (of: TestFirm, role?: StaffRole) => operatorOf(service.service.services).staff(of.id, role);

/** The code that is logged, where there is no mail server. */
async function codeFor(email: string): Promise<string> {
  const codes = () => signInCodesIn(service.logged);
  const before = codes().length;
  const asked = await service.call('POST', '/firm/v1/sign-in-codes', { body: { email } });
  expect(asked.status).toBe(202);
  await eventually(() => codes().length > before);
  return codes().at(-1) ?? '';
}

describe('a staff member', () => {
  test('signs in with an emailed code, reads who they are, and signs out', async () => {
    const { id, email } = await staffOf(firm, 'dispatcher');
    const opened = await service.call('POST', '/firm/v1/sessions', {
      body: { email, code: await codeFor(email) },
    });
    const own = {
      staff: { id, email, name: 'Priya Natarajan', role: 'dispatcher' },
      firm: { id: firm.id, name: 'Gulf Adjusting Partners', plan: 'standard' },
      permissions: expect.arrayContaining(['claims:create', 'reports:read']),
      key_purposes: { live: [], test: [] },
      late_offers_mail: 'off',
      firms: [{ id: firm.id, name: 'Gulf Adjusting Partners' }],
    };
    expect(opened.json).toEqual({
      token: expect.stringMatching(/^svc_staff_[0-9A-Za-z]{49}$/),
      expires_at: expect.any(String),
      ...own,
    });
    const as = opened.json.token;
    expect((await service.call('GET', '/firm/v1/me', { as })).json).toEqual(own);
    expect((await service.call('DELETE', '/firm/v1/sessions/current', { as })).status).toBe(204);
    expectProblem(await service.call('GET', '/firm/v1/me', { as }), 401, 'invalid_session');
  });
});

test('a person of two firms chooses one with a ticket, changes it, signs out of both at once, and each firm sees its own session alone', async () => {
  const other = await service.firm();
  await staffOf(other, 'admin');
  const { id, email } = await staffOf(firm, 'auditor');
  const { services } = service.service;
  const elsewhere = await services.inviteStaff(services.operator, {
    firmId: other.id as FirmId,
    ...{ email, name: 'Priya Natarajan', role: 'admin' },
  });
  const firms = [firm, other].map((one) => ({ id: one.id, name: 'Gulf Adjusting Partners' }));
  const signIn = (body: object) => service.call('POST', '/firm/v1/sessions', { body });
  const offered = await signIn({ email, code: await codeFor(email) });
  expect([offered.status, offered.json]).toEqual([
    200,
    { firms: expect.arrayContaining(firms), ticket: expect.stringMatching(/^svc_ticket_/) },
  ]);
  const named = { email, code: await codeFor(email), firm_id: other.id };
  expect((await signIn(named)).json.firm.id).toBe(other.id);
  const { ticket } = offered.json;
  expectProblem(await signIn({ ticket }), 422, 'validation_failed');
  expectProblem(await signIn({ ticket, firm_id: other.id, email, code: '123456' }), 422, 'validation_failed');
  const opened = await signIn({ ticket, firm_id: other.id });
  // The one that was joined first.
  expect([opened.status, opened.json.staff.id, opened.json.firms]).toEqual([
    ...[201, elsewhere.staffId],
    firms.toReversed(),
  ]);
  const as = opened.json.token;
  const change = (firm_id: string, headers: Record<string, string> = {}) =>
    service.call('PUT', '/firm/v1/sessions/current', { as, body: { firm_id }, headers });
  expectProblem(await change((await service.firm()).id), 404, 'not_found');
  expect((await service.call('GET', '/firm/v1/staff', { as })).status).toBe(200);
  const changed = await change(firm.id);
  expect([changed.status, changed.json.staff.id, changed.json.firm.id]).toEqual([200, id, firm.id]);
  expect((await service.call('GET', '/firm/v1/me', { as })).json.staff.role).toBe('auditor');
  const refused = await service.call('GET', '/firm/v1/staff', { as });
  expectProblem(refused, 403, 'insufficient_scope');
  expect(refused.json.title).toBe('Your role does not include the required permission');
  // Another tab still shows the other firm.
  const tab = { headers: { 'X-Claims-Page': other.id } };
  expectProblem(await service.call('GET', '/firm/v1/claims', { as, ...tab }), 401, 'invalid_session');
  expectProblem(await change(other.id, tab.headers), 401, 'invalid_session');
  const open = (member: StaffRef) => services.openStaffSession(services.operator, member);
  const own = { firmId: firm.id as FirmId, staffId: id as StaffId };
  const { token: ofOther } = await open(elsewhere);
  const { token: another } = await open(own);
  const signedOut = await fetch(`${service.url}/firm/sessions`, {
    method: 'DELETE',
    headers: { 'X-Claims-Page': '1', Origin: service.url, Cookie: `svc-staff-session=${another}` },
  });
  expect(signedOut.status).toBe(204);
  const me = (token: string) => service.call('GET', '/firm/v1/me', { as: token });
  for (const ended of [another, as, ofOther])
    expectProblem(
      await eventually(
        () => me(ended),
        ({ status }) => status === 401,
      ),
      401,
      'invalid_session',
    );
});

describe('an administrator', () => {
  test('invites, lists, changes and removes staff, each in the audit trail', async () => {
    const own = await service.firm();
    const admin = await staffOf(own);
    const as = admin.token;
    const person = { email: 'marcus@example.com', name: 'Marcus Webb', role: 'developer' };
    const invited = await service.call('POST', '/firm/v1/staff', { as, body: person });
    expect([invited.status, invited.json]).toEqual([
      201,
      {
        ...{ id: expect.any(String), ...person, invited_at: expect.any(String) },
        ...{ joined_at: null, working_keys: 0 },
      },
    ]);
    const again = await service.call('POST', '/firm/v1/staff', { as, body: person });
    expectProblem(again, 422, 'validation_failed');
    expect(again.json.errors).toEqual([{ detail: expect.any(String), pointer: '/email' }]);
    const path = `/firm/v1/staff/${invited.json.id}`;
    const changed = await service.call('PATCH', path, { as, body: { role: 'auditor' } });
    expect(changed.json).toEqual({ ...invited.json, role: 'auditor' });
    const list = await service.call('GET', '/firm/v1/staff', { as });
    const ids = list.json.data.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([admin.id, invited.json.id].sort());
    expect((await service.call('DELETE', path, { as })).status).toBe(204);
    expectProblem(await service.call('DELETE', path, { as }), 404, 'not_found');
    const ownPath = `/firm/v1/staff/${admin.id}`;
    expectProblem(await service.call('DELETE', ownPath, { as }), 409, 'last_admin');
    const demoted = await service.call('PATCH', ownPath, { as, body: { role: 'auditor' } });
    expectProblem(demoted, 409, 'last_admin');
    await service.service.services.auditBuffer.flush();
    const { actions, problem } = await operatorOf(service.service.services).audit(own.id);
    expect(problem).toBeNull();
    for (const action of ['staff.invite', 'staff.role', 'staff.remove'])
      expect(actions).toContain(`${action} staff:${invited.json.id}`);
  });
});

const ID = '01980a5e-4c7f-7b3e-9d8a-2f6b1c0d5e4a';

test.each<[StaffRole, ...string[]]>([
  ['dispatcher', 'PUT clocks', 'GET staff', 'POST staff', 'GET audit', 'GET audit/verification'],
  ['dispatcher', 'GET keys', 'POST keys', 'GET requests', 'GET limits', 'GET webhooks', 'POST webhooks'],
  ['developer', 'GET claims', 'POST claims', `POST claims/${ID}/assignment`, 'GET reports/answers'],
  ['developer', `POST claims/${ID}/withdrawal`, `POST claims/${ID}/closure`, 'GET clocks', 'PUT clocks'],
  ['developer', 'GET adjusters', 'POST adjusters/spread', 'POST adjusters/invitations', 'GET staff'],
  ['developer', `GET adjusters/${ID}/credentials`, 'POST imports', 'GET audit', 'GET audit/verification'],
  ['auditor', 'POST claims', `POST claims/${ID}/assignment`, `POST claims/${ID}/withdrawal`, 'PUT clocks'],
  ['auditor', `POST claims/${ID}/closure`, 'POST adjusters/spread', 'POST adjusters/invitations/batch'],
  ['auditor', 'POST webhooks'],
  ['auditor', 'POST adjusters/invitations', 'POST keys', `POST keys/${ID}/roll`, 'GET staff', 'POST staff'],
])('a person with the role %s is refused %s and others', async (role, ...operations) => {
  const { token: as } = await staffOf(firm, role);
  const refused = await Promise.all(
    operations.map(async (operation) => {
      const [method = '', path] = operation.split(' ');
      const { status, json } = await service.call(method, `/firm/v1/${path}`, { as });
      return [operation, status, json?.code];
    }),
  );
  expect(refused).toEqual(operations.map((operation) => [operation, 403, 'insufficient_scope']));
});
