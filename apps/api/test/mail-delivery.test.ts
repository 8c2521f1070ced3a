import { expect, test } from '@jest/globals';
import type { FirmId } from '@svc/domain';
import { SMTPServer } from 'smtp-server';
import { startPushService } from '../../../packages/adapter-notifications/test/push-service.ts';
import { atEnd } from '../../../tools/services/at-end.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { compose, createMetrics } from '../src/composition/compose.ts';
import { readConfig } from '../src/config.ts';
import { memoryConnection } from './memory-service.ts';

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
const lines: string[] = [];
const note = (...line: unknown[]) => void lines.push(JSON.stringify(line));
const { connectTo, memory, clock } = memoryConnection();
const metrics = createMetrics();
const { services, close } = await compose({
  config: readConfig(
    { SMTP_URL: `smtp://127.0.0.1:${port}?from=claims@firm.example`, DATA_DIR: temporaryFolder() },
    false,
  ),
  ...{ databaseUrl: '', log: { debug: note, info: note, warn: note, error: note }, connectTo, metrics },
  addresses: { baseUrl: 'https://claims.example', docsUrl: '', supportEmail: 'a@b.example' },
});
atEnd(close);
const operator = operatorOf(services);

test('a sign-in code is emailed in both languages, not in the subject, and is not logged', async () => {
  const email = 'ana@x.example';
  await services.mailer.sendSignInCode(email, '123456');
  const [{ from, text } = { from: '', text: '' }] = inbox;
  expect(text).toContain('Your sign-in code is 123456');
  expect(text).toContain('Su código de acceso es 123456');
  const [subject = ''] = /^Subject:.*(\r?\n[ \t].*)*/m.exec(text) ?? [];
  expect(subject.replaceAll('_', ' ')).toContain('Your sign-in code');
  expect(subject).not.toContain('123456');
  expect(from).toBe('claims@firm.example');
  expect(lines.join()).not.toMatch(/123456|ana@x/);
});

test('a mail that is temporarily rejected is retried, and does not delay the push message; a device that is gone is removed', async () => {
  const firm = await operator.firm({ name: 'Gulf' });
  const { svcId, token } = await operator.adjuster({ email: 'ben@x.example' });
  const [phone, tablet] = [push.device(), push.device([410])];
  const hash = services.secrets.hashOf(token, 'app_session') ?? '';
  await services.putDevice({ svcId }, hash, 'tablet', tablet.subscription);
  await services.putDevice({ svcId }, hash, 'phone', phone.subscription);
  const notes = { invitedAs: null, invitedBy: 'Secret Manager', purpose: 'Secret', note: 'Secret note' };
  const actor = { firmId: firm.id as FirmId, environment: 'live' } as const;
  await services.inviteAdjuster(actor, { svcId, notes });
  inbox.length = attempts.length = 0;
  rejects = 1;
  await memory.jobs.runDue(clock.now(), services.runJob);
  const invited = { kind: 'invitation', firm_name: 'Gulf', firm_id: firm.id };
  expect(phone.received.map(({ payload }) => payload)).toEqual([invited]);
  expect([push.faults, inbox]).toEqual([[], []]);
  const devices = await services.jobReads.devices(svcId, clock.now());
  expect(devices.map(({ deviceId }) => deviceId)).toEqual(['phone']);
  expect(await metrics.text()).toContain('push_total{outcome="gone"} 1');
  clock.advance(2000);
  await memory.jobs.runDue(clock.now(), services.runJob);
  expect(inbox).toMatchObject([{ to: ['ben@x.example'], text: expect.stringContaining('Gulf') }]);
  expect(inbox[0]?.text).toContain('https://claims.example/app');
  expect(inbox[0]?.text).not.toContain('Secret');
  expect([attempts.length, phone.attempts.length]).toEqual([2, 1]);
});
