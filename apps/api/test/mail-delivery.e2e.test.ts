import { beforeEach, expect, test } from '@jest/globals';
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
const service = await startServiceUnderTest({
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
  const invited = { kind: 'invitation', firm_name: 'Gulf Adjusting Partners', firm_id: firm.id };
  expect([phone.received[0]?.payload, push.faults]).toEqual([invited, []]);
  expect(inbox).toEqual([]);
  await emailed(await emailOf(service, token));
  expect(attempts).toHaveLength(2);
  expect(phone.attempts).toHaveLength(1);
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
  const logged = service.logged.map((line) => JSON.parse(line));
  for (const line of [
    { message: 'a webhook attempt failed', firm_id: own.id, attempt: 1, status: 410 },
    { message: 'a webhook endpoint was paused', firm_id: own.id, reason: 'gone' },
  ])
    expect(logged).toContainEqual(expect.objectContaining(line));
});
