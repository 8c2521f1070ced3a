import { expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { emailOf, until } from '../../adjuster/test/app-under-test.ts';
import { startServiceUnderTest } from './service-under-test.ts';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** How many of the next recipients are rejected for now. */
let rejects = 0;
const inbox: Mail[] = [];
const attempts: string[] = [];

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  onRcptTo({ address }, _session, done) {
    attempts.push(address);
    if (rejects === 0) return done();
    rejects -= 1;
    done(Object.assign(new Error('rejected'), { responseCode: 451 }));
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

test('a mail that is temporarily rejected is retried, and does not delay the push message', async () => {
  const { svcId, token } = await service.adjuster();
  const phone = push.device();
  const { subscription } = phone;
  await service.call('PUT', '/app/v1/devices/phone', { as: token, body: { subscription } });
  rejects = 1;
  inbox.length = attempts.length = 0;
  const notes = { invited_by: 'Secret Manager', purpose: 'Secret purpose', note: 'Secret note' };
  const body = { svc_id: svcId, ...notes };
  await service.call('POST', '/v1/adjusters/invitations', { as: firm.live, body });
  await until('the push', async () => phone.received.length === 1);
  const invited = { kind: 'invitation', firm_name: 'Gulf Adjusting Partners', firm_id: firm.id };
  expect([phone.received[0]?.payload, push.faults]).toEqual([invited, []]);
  expect(inbox).toEqual([]);
  const email = await emailOf(service, token);
  const { text } = await until('the mail', async () => inbox.find((mail) => mail.to.includes(email)));
  expect(text).toContain('Gulf Adjusting Partners');
  expect(text).not.toContain('Secret');
  expect(attempts).toHaveLength(2);
  expect(phone.attempts).toHaveLength(1);
});
