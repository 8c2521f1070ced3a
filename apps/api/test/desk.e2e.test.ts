import { expect, test } from '@jest/globals';
import { createFixedClock } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { compactVerify, createRemoteJWKSet } from 'jose';
import { cell, workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { acceptClaim, getClaim, listClaims, offerClaim, outcome, sentClaim } from './firm-calls.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const clock = createFixedClock(Date.now());
const service = await startServiceUnderTest({ clock });
const firm = await service.firm();
const dispatcher = await service.staff(firm, 'dispatcher');
const adjuster = await service.member(firm);

const at = (ms: number): string => new Date(ms).toISOString();
const get = (path: string, as = dispatcher): Promise<ApiResponse> =>
  service.call('GET', `/firm/v1${path}`, { as });
const post = (path: string, as: string, body: object): Promise<ApiResponse> =>
  service.call('POST', path, { as, body });
const jwks = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.url));
const contentOf = async ({ json }: ApiResponse) =>
  JSON.parse(new TextDecoder().decode((await compactVerify(json.receipt, jwks)).payload));

test('a dispatcher takes back an offer and closes claims, and jose verifies the receipt of a late answer', async () => {
  const { svcId, token } = adjuster;
  const { id, updated_at } = await sentClaim(service, firm.live, svcId);
  const offered_at = at(clock.now());
  clock.advance(1000);
  const act = (path: string, body: unknown = undefined) =>
    service.call('POST', `/firm/v1/claims/${id}/${path}`, { as: dispatcher, body });
  const withdrawn = await act('withdrawal', { updated_at });
  const shown = await getClaim(service, firm.live, id);
  expect([withdrawn.status, withdrawn.text]).toEqual([200, shown.text]);
  expect(shown.json.assignment.status).toBe('unassigned');
  expect(outcome(await act('withdrawal'))).toEqual([409, 'offer_not_pending']);
  const late = await acceptClaim(service, token, id, offered_at);
  expect([...outcome(late), late.json.detail]).toEqual([
    ...[409, 'offer_not_pending'],
    'The firm has withdrawn this offer.',
  ]);
  const receipt = await service.call('GET', `/app/v1/claims/${id}/receipt?offered_at=${offered_at}`, {
    as: token,
  });
  expect(await contentOf(receipt)).toMatchObject({
    ...{ status: 'withdrawn', answered: null, late_answer: { answer: 'accept', at: at(clock.now()) } },
    decided_by: { rule: 'withdrawn_by_firm' },
  });
  await offerClaim(service, firm.live, id, svcId);
  await acceptClaim(service, token, id);
  expect(outcome(await act('closure', { updated_at }))).toEqual([409, 'claim_changed']);
  const before = (await getClaim(service, firm.live, id)).json;
  const reason = 'Sent to us by mistake.';
  const closed_at = at(clock.now());
  for (const body of [{ reason }, undefined])
    expect((await act('closure', body)).json).toEqual({ ...before, closed_at });
  const who = { type: 'staff', id: expect.any(String), name: 'Priya Natarajan' };
  expect((await get(`/claims/${id}`)).json).toMatchObject({
    ...{ claim: before, closed_at, closed_by: who, closure_reason: reason },
    history: [
      { outcome: 'accepted', withdrawn_by: null },
      { outcome: 'withdrawn', withdrawn_by: who, ended_at: shown.json.updated_at },
    ],
  });
});

test('live updates tell an open desk of each change of its firm, and end with the session', async () => {
  const token = await service.staff(firm, 'auditor');
  const stream = await fetch(`${service.url}/firm/v1/changes`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect([stream.status, stream.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (pattern: RegExp): Promise<void> => {
    text = '';
    while (!pattern.test(text)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended after ${JSON.stringify(text)}`);
      text += value;
    }
  };
  await next(/event: changed\nid: \S+\n/);
  await sentClaim(service, firm.live, adjuster.svcId);
  await next(/event: changed\nid: \S+\n/);
  await service.call('DELETE', '/firm/v1/sessions/current', { as: token });
  await next(/event: signed-out\n/);
});

test('a request that failed is in the log with what its caller got, and with nothing that was sent', async () => {
  const admin = await service.staff(firm, 'admin');
  const name = 'Claims import';
  const { key, secret } = (await post('/firm/v1/keys', admin, { environment: 'test', name })).json;
  const body = claimBody(firm.account.manual);
  const { json: first } = await sendClaim(service, secret, body);
  const duplicate = await sendClaim(service, secret, { ...body, claim_number: `${body.claim_number} B` });
  const secretName = 'Marisol Wolfeschlegelsteinhausen';
  const named = {
    ...body,
    [secretName.repeat(9)]: 1,
    [`${secretName}\ud800`]: 1,
    loss: { date: '08/27/2026', [secretName]: 1 },
    policyholder: { last_name: 'Reyes', first_name: `${secretName}\u200b`, phone: 4 },
    building: { flood_zone: 'ae' },
  };
  const wrong = await post('/v1/claims', secret, named);
  const twice = await fetch(`${service.url}/v1/claims`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${secret}`,
      'Idempotency-Key': 'k',
      'Content-Type': 'application/json',
    },
    body: `{"${secretName}": 1, "${secretName}": 2}`,
  });
  expect([duplicate.status, wrong.status, twice.status]).toEqual([409, 422, 400]);
  const found = async () => (await get(`/requests?key=${key.id}&errors=true`, admin)).json.data;
  await eventually(async () => (await found()).length === 3);
  const rows = await found();
  const withCode = (code: string) => rows.find((row: { code: string }) => row.code === code);
  expect(withCode('duplicate_claim')).toMatchObject({
    key_name: name,
    detail: duplicate.json.detail,
    existing_claim_id: first.id,
  });
  const { places, place_details: details } = withCode('validation_failed');
  expect(details).toHaveLength(places.length);
  expect(details[places.indexOf('/loss/date')]).toMatch(/^Must be a .*date/);
  expect(withCode('malformed_request').detail).toBe('The body has a duplicate member.');
  expect(JSON.stringify(rows)).not.toMatch(/Marisol|Wolfe|2026-08-27|did you mean|"ae"/);
});

const HEADER =
  'File ID;Claim #;Adjuster;Date of Loss;Policy #;Carrier;Address;City;State;Zip;Business Name;Phone;Code';
const row = (
  id: string,
  { zip = '08260', adjuster = firm.account.manual }: { zip?: string; adjuster?: string } = {},
): string =>
  `${id};FL-${id};${adjuster};8/27/2026;0087;Palmetto;1 Sea Lane;Sanibel;FL;${zip};Müller & Co;239;x`;
const csvOf = (...rows: string[]): string => [HEADER, ...rows].join('\r\n');
const importing = (body: Readonly<Record<string, unknown>>) =>
  service.call('POST', '/firm/v1/imports', {
    as: dispatcher,
    body: { name: 'Monday export', environment: 'test', dry_run: false, ...body },
  });

test('rows of a file are sent in parts as the staff member, and a workbook has the same rows', async () => {
  const text = csvOf(
    ...Array.from({ length: 60 }, (_, n) => row(`RUN-${n}`)),
    row('RUN-X', { adjuster: 'SVC-unknown' }),
    row('RUN-Y', { zip: '1' }),
  );
  const name = 'In parts';
  const first = await importing({ text, name });
  expect(first.json).toMatchObject({ total_rows: 62, next_row: 52 });
  const { id: import_id, next_row: from_row } = first.json;
  const second = await importing({ text, name, import_id, from_row });
  expect(second.json).toMatchObject({ id: import_id, next_row: null });
  const outcomes = [...first.json.rows, ...second.json.rows];
  expect(outcomes.filter(({ outcome: is }) => is === 'sent')).toHaveLength(60);
  expect(outcomes.slice(60)).toMatchObject([
    {
      external_id: 'RUN-X',
      outcome: 'failed',
      problems: [
        {
          column: 'Adjuster',
          field: 'adjuster_svc_id',
          code: 'unknown_osaid',
          detail: expect.stringMatching(/^No adjuster/),
        },
      ],
    },
    { external_id: 'RUN-Y', outcome: 'invalid', problems: [{ column: 'Zip' }] },
  ]);
  const { json: progress } = await service.call('GET', `/firm/v1/imports/${import_id}`, { as: dispatcher });
  expect(progress).toMatchObject({ name, sent: 60, already_sent: 0, failed: 2, next_row: null });
  const [claim] = (await listClaims(service, firm.test, 'external_id=RUN-7')).json.data;
  expect(claim).toMatchObject({ loss: { date: '2026-08-27' }, policy: { number: '0087' }, test: true });
  const { actions } = await operatorOf(service.service.services).audit(firm.id);
  expect(actions.has(`claims.import import:${import_id}`)).toBe(true);
  expect(actions.has(`claim.send claim:${claim.id}`)).toBe(true);

  const [header, ...rows] = csvOf(row('BOOK-1'), row('BOOK-2', { zip: '8260' }))
    .split('\r\n')
    .map((line) => line.split(';'));
  const day = cell.number('46261', 1);
  const typed = rows.map((cells) => cells.map((one, n) => (n === 3 ? day : one)));
  const sheets = [
    { name: 'Cover', rows: [['Claims of August']] },
    { name: 'Claims', rows: [header ?? [], ...typed] },
  ];
  const workbook = Buffer.from(workbookOf({ sheets, formats: ['m/d/yyyy'] })).toString('base64');
  const { json: book } = await importing({ workbook, sheet: 'claims', name });
  expect(book.rows).toMatchObject([
    { row: 2, external_id: 'BOOK-1', outcome: 'sent' },
    { row: 3, outcome: 'invalid', problems: [{ column: 'Zip' }] },
  ]);
});
