import { beforeEach, expect, test } from '@jest/globals';
import { createMail, type Mail as Sender } from '@svc/adapter-notifications';
import { DAY, HOUR } from '@svc/domain';
import { SMTPServer } from 'smtp-server';
import { startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { emailOf, until } from '../../adjuster/test/app-under-test.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { startWebhookEndpoint } from './webhook-endpoint.ts';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** SMTP error codes for the next recipients; without one, a recipient is accepted. */
const rejectCodes: number[] = [];
const inbox: Mail[] = [];
const attempts: string[] = [];

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  onRcptTo({ address }, _session, done) {
    attempts.push(address);
    const code = rejectCodes.shift();
    if (code === undefined) return done();
    done(Object.assign(new Error('rejected'), { responseCode: code }));
  },
  onData(stream, { envelope }, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      inbox.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        text: decode(Buffer.concat(chunks).toString('latin1')),
      });
      done();
    });
  },
});

/** Decodes quoted-printable text and headers. */
function decode(raw: string): string {
  const unfolded = raw.replace(/=\r\n/g, '');
  const bytes = unfolded.replace(/=([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, words: string) => words.replaceAll('_', ' '));
}

const { port } = await listening(server.server);
const push = await startPushService();
let now: () => number = Date.now;
const service = await startServiceUnderTest({
  clock: { now: () => now() },
  env: { SMTP_URL: `smtp://127.0.0.1:${port}?from=claims@firm.example` },
});
const firm = await service.firm();
beforeEach(() => {
  inbox.length = attempts.length = rejectCodes.length = 0;
});

const emailed = (to: string) =>
  until(`a mail to ${to}`, async () => inbox.find((mail) => mail.to.includes(to)));
const invite = (svcId: string) =>
  service.call('POST', '/v1/adjusters/invitations', {
    as: firm.live,
    body: { svc_id: svcId, invited_by: 'Secret Manager', purpose: 'Secret purpose', note: 'Secret note' },
  });

const [APP, DESK] = ['https://claims.example/app', 'https://claims.example/firm'];

/** What is in both languages, and what is in one of them. */
test.each<[keyof Sender, values: unknown[], both: string[], ...texts: string[]]>([
  ['sendSignInCode', ['123456'], ['123456'], 'valid for ten minutes', 'por diez minutos'],
  ['sendEmailCode', ['123456'], ['123456'], 'valid for ten minutes', 'por diez minutos'],
  ['sendStaffInvitation', ['Gulf\r\nBcc: a'], ['Gulf Bcc: a', `: ${DESK}\n`]],
  ['sendLateOffers', ['Gulf', 17], [': 17\n', `: ${DESK}\n`]],
  ['sendCredentialsExpire', ['2027-04-30'], ['2027-04-30', `: ${APP}#/credentials\n`]],
  ['sendInvitation', ['Gulf', false], ['Gulf', `: ${APP}\n`], 'within seven days', 'siete días'],
  [
    'sendInvitation',
    ['Gulf\nBcc: a', true],
    ['Gulf Bcc: a'],
    'before the invitation expires',
    'antes de que',
  ],
  ['sendWebhookPaused', ['a.example', false], ['a.example', `${DESK}\n`], 'All attempts', 'Fallaron todos'],
  ['sendWebhookPaused', ['a.example', true], ['a.example'], 'with 410 Gone.', 'Respondió 410 Gone.'],
  ['sendAccountNotice', ['email_requested'], [], 'Another email address was requested', 'Se pidió otro'],
  ['sendAccountNotice', ['email_changed'], [], 'has replaced this one', 'Otro correo reemplazó'],
  ['sendAccountNotice', ['passkey_added'], [], 'A passkey was added', 'Se agregó una llave'],
  ['sendAccountNotice', ['passkey_removed'], [], 'A passkey was removed', 'Se eliminó una llave'],
])('a mail says what happened, in English and Spanish: %s %j', async (kind, values, both, ...texts) => {
  const [server, log] = [`smtp://127.0.0.1:${port}`, { debug() {}, info() {}, warn() {}, error() {} }];
  const sender = createMail(
    () => server,
    () => 'https://claims.example',
    log,
  );
  await (sender[kind] as (...sent: unknown[]) => Promise<void>)('someone@example.com', ...values);
  const { from, text } = await emailed('someone@example.com');
  expect(from).toBe('no-reply@claims.example');
  const [, ...body] = text.replaceAll('\r\n', '\n').split('\n\n');
  expect(both.filter((part) => body.some((language) => !`${language}\n`.includes(part)))).toEqual([]);
  expect([body.length, texts.filter((part) => !text.includes(part))]).toEqual([2, []]);
});

test('a sign-in code is emailed in both languages, not in the subject, and is not logged', async () => {
  const email = await emailOf(service, (await service.adjuster()).token);
  await service.call('POST', '/app/v1/sign-in-codes', { body: { email: email.toUpperCase() } });
  const { from, text } = await until('the code', async () => inbox[0]);
  const [code = ''] = /\b\d{6}\b/.exec(text) ?? [];
  expect(text).toContain(`Your sign-in code is ${code}`);
  expect(text).toContain(`Su código de acceso es ${code}`);
  const [subject = ''] = /^Subject:.*(\r?\n[ \t].*)*/m.exec(text) ?? [];
  expect(subject.replaceAll('_', ' ')).toContain('Your sign-in code');
  expect(subject).not.toContain(code);
  expect(from).toBe('claims@firm.example');
  const session = await service.call('POST', '/app/v1/sessions', { body: { email, code } });
  expect(session.status).toBe(201);
  const logged = service.logged.join('');
  expect(logged).not.toContain(code);
  expect(logged).not.toContain(email);
});

test('an adjuster without a device is mailed the firm and the app of an invitation, without notes; unknown addresses and test accounts get no mail', async () => {
  for (const email of ['nobody@example.com', 'a,b@x.example', '<script>@example.com']) {
    const response = await service.call('POST', '/app/v1/sign-in-codes', { body: { email } });
    expect(response.status).toBe(202);
  }
  const invited = await service.call('POST', '/v1/adjusters/invitations', {
    as: firm.test,
    body: { svc_id: firm.account.new },
  });
  expect(invited.status).toBe(201);
  const { svcId, token } = await service.adjuster();
  await invite(svcId);
  const email = await emailOf(service, token);
  const { to, text } = await emailed(email);
  expect([attempts.length, to]).toEqual([1, [email]]);
  for (const part of ['Gulf Adjusting Partners', `${service.url}/app`]) expect(text).toContain(part);
  expect(text).not.toContain('Secret');
});

test('a mail that is temporarily rejected is retried, and does not delay the push message', async () => {
  const { svcId, token } = await service.adjuster();
  const phone = push.device();
  const { subscription } = phone;
  await service.call('PUT', '/app/v1/devices/phone', { as: token, body: { subscription } });
  rejectCodes.push(451);
  await invite(svcId);
  await until('the push', async () => phone.received.length === 1);
  expect(inbox).toEqual([]);
  await emailed(await emailOf(service, token));
  expect(attempts).toHaveLength(2);
  expect(phone.attempts).toHaveLength(1);
});

test('a mail that is permanently rejected is not retried, and its address is not logged', async () => {
  const { svcId, token } = await service.adjuster();
  const email = await emailOf(service, token);
  rejectCodes.push(550);
  await invite(svcId);
  await until('the log line', async () =>
    service.logged.some((line) => line.includes('rejected by the mail server')),
  );
  const { svcId: next, token: nextToken } = await service.adjuster();
  await invite(next);
  await emailed(await emailOf(service, nextToken));
  expect(attempts.filter((address) => address === email)).toHaveLength(1);
  expect(service.logged.join('')).not.toContain(email);
});

test('the admins of a firm are mailed when its webhook endpoint is paused, with its host and not its path', async () => {
  const endpoint = await startWebhookEndpoint();
  endpoint.responses.set('/secret-path', (response) => response.writeHead(410).end());
  const own = await service.firm();
  const { staff } = operatorOf(service.service.services);
  const [admin, second, developer] = [
    await staff(own.id, 'admin'),
    await staff(own.id, 'admin'),
    await staff(own.id, 'developer'),
  ];
  const body = { url: `${endpoint.url}/secret-path`, environment: 'test' };
  await service.call('POST', '/firm/v1/webhooks', { as: developer.token, body });
  await sendClaim(service, own.test, claimBody(own.account.manual));
  for (const { email } of [admin, second]) {
    const { text } = await until(`a notice to ${email}`, async () =>
      inbox.find(({ to, text }) => to.includes(email) && text.includes('webhook')),
    );
    expect(text).toContain(new URL(endpoint.url).host);
    expect(text).toContain(`${service.url}/firm`);
    expect(text).not.toContain('secret-path');
  }
  expect(inbox.some(({ to, text }) => to.includes(developer.email) && text.includes('paused'))).toBe(false);
});

test('a dispatcher who wishes it is mailed at noon UTC how many offers are late, and nothing about them', async () => {
  const noon = Math.floor((Date.now() - 12 * HOUR) / DAY) * DAY + 12 * HOUR;
  now = () => noon - 2 * HOUR;
  const busy = await service.firm();
  await service.service.services.setOfferWait(busy.id, 1);
  const { email, token } = await operatorOf(service.service.services).staff(busy.id, 'dispatcher');
  const asked = await service.call('PATCH', '/firm/v1/me', { as: token, body: {} });
  expect([asked.status, asked.json.late_offers_mail]).toEqual([200, 'off']);
  const sent = claimBody((await service.member(busy)).svcId);
  expect((await sendClaim(service, busy.live, sent)).status).toBe(201);
  now = () => noon - 1;
  const body = { late_offers_mail: 'daily' };
  const changed = await service.call('PATCH', '/firm/v1/me', { as: token, body });
  expect([changed.status, changed.json.late_offers_mail]).toEqual([200, 'daily']);
  // The person is mailed an invitation as well.
  const { text } = await until('the mail', async () =>
    inbox.find((mail) => mail.to.includes(email) && mail.text.includes('Offers that wait longer')),
  );
  expect(text).toContain('Offers that wait longer than your firm does: 1');
  expect(text).toContain(`${service.url}/firm`);
  for (const secret of [sent.claim_number, sent.external_id, 'Reyes']) expect(text).not.toContain(secret);
  const developer = await service.staff(busy, 'developer');
  expect((await service.call('PATCH', '/firm/v1/me', { as: developer, body })).status).toBe(403);
});
