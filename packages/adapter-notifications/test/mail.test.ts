import { readFileSync } from 'node:fs';
import { afterEach, expect, jest, test } from '@jest/globals';
import nodemailer, { type Transport } from 'nodemailer';
import { createMail, createMailLog, type Mail, mailProblem } from '../src/index.ts';

const { createTransport } = nodemailer;
afterEach(() => void jest.restoreAllMocks());

const SITE = 'https://claims.example';

/** Mail through a server whose address may be another one later, and servers of which some fail. */
function underTest(errors: Readonly<Record<string, Error>>, later = 'smtp://one', address = SITE) {
  const used: string[] = [];
  const sent: object[] = [];
  const logged: string[] = [];
  const noteAs = (level: string) => (message: string, fields?: object) =>
    void logged.push(JSON.stringify({ level, message, ...fields }));
  const log = { debug: noteAs('debug'), info: noteAs('info'), warn: noteAs('warn'), error: noteAs('error') };
  jest.spyOn(nodemailer, 'createTransport').mockImplementation((options) => {
    const { url, ...others } = Object(options);
    expect(others).toEqual({
      ...{ connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    const send: Transport['send'] = ({ data }, done) => {
      used.push(url);
      sent.push(data);
      done(errors[url] ?? null);
    };
    const transport: Transport = { name: 'test', version: '1', send };
    return createTransport(transport);
  });
  // The service may learn its own address after it has started.
  let site = 'https://early.example';
  const [urls, siteNow] = [['smtp://one'], () => site];
  const mail = createMail(() => urls.shift() ?? later, siteNow, log);
  site = address;
  return { used, sent, logged, mail, log };
}

const to = 'a@x.example';
const failure = (code: string, responseCode?: number) =>
  Object.assign(new Error(`${to} was rejected`), { code, responseCode });

test.each([
  ['EAUTH', 'smtp://two', ['smtp://one', 'smtp://two', 'smtp://two'], 0],
  ['EAUTH', 'smtp://one', ['smtp://one', 'smtp://one'], 2],
  ['ECONNECTION', 'smtp://two', ['smtp://one', 'smtp://one'], 2],
])('after %s, what is configured now, %s, is used if it is a new login', async (...row) => {
  const [code, url, servers, failed] = row;
  const { used, mail } = underTest({ 'smtp://one': failure(code, 535) }, url);
  let failures = 0;
  for (let n = 0; n < 2; n += 1) await mail.sendInvitation(to, 'Gulf', false).catch(() => (failures += 1));
  expect([failures, used]).toEqual([failed, servers]);
});

test('mails whose login is rejected at the same time are all sent with the new one', async () => {
  const { used, mail } = underTest({ 'smtp://one': failure('EAUTH', 535) }, 'smtp://two');
  await Promise.all([to, 'b@x.example'].map((address) => mail.sendInvitation(address, 'Gulf', false)));
  expect(used).toEqual(['smtp://one', 'smtp://one', 'smtp://two', 'smtp://two']);
});

const FAILURES = [
  ...[
    failure('EENVELOPE', 500),
    failure('EENVELOPE', 550),
    failure('EMESSAGE', 552),
    failure('EENVELOPE', 499),
  ],
  ...[failure('EENVELOPE'), failure('EAUTH', 535), failure('ECONNECTION')],
];

const REJECTED = 'was rejected by the mail server';
const NOT_SENT = 'could not be emailed';
test.each<[failure: string, retried: number, send: (mail: Mail) => Promise<void>]>([
  [`an invitation ${REJECTED}`, 4, (mail) => mail.sendInvitation(to, 'Gulf', true)],
  [`a reminder of credentials ${REJECTED}`, 4, (mail) => mail.sendCredentialsExpire(to, '2027-04-30')],
  [`a notice about a webhook ${REJECTED}`, 4, (mail) => mail.sendWebhookPaused(to, 'hooks.example', false)],
  [`a sign-in code ${NOT_SENT}`, 0, (mail) => mail.sendSignInCode(to, '123456')],
  [`a code for a new email address ${NOT_SENT}`, 0, (mail) => mail.sendEmailCode(to, '123456')],
  [`an invitation of a staff member ${NOT_SENT}`, 0, (mail) => mail.sendStaffInvitation(to, 'Gulf')],
  ['a mail about late offers could not be sent', 0, (mail) => mail.sendLateOffers(to, 'Gulf', 3)],
  [`a notice about an account ${NOT_SENT}`, 0, (mail) => mail.sendAccountNotice(to, 'passkey_added')],
])(
  'the log says %s, after the last %i failures it is sent again, and the log has neither address nor code',
  async (...row) => {
    const [message, retried, send] = row;
    const level = retried > 0 ? 'warn' : 'error';
    for (const [n, error] of FAILURES.entries()) {
      const { mail, logged } = underTest({ 'smtp://one': error });
      const end = await send(mail).catch((thrown) => thrown);
      expect([n, end]).toEqual([n, n < FAILURES.length - retried ? undefined : error]);
      expect(logged.map((line) => JSON.parse(line))).toEqual(
        end ? [] : [{ level, message, error_code: error.code }],
      );
      expect(logged.join()).not.toMatch(/a@x|123456/);
    }
  },
);

test('a mail says in English and Spanish what its event is, with its links and values', async () => {
  const { sent, mail } = underTest({});
  await mail.sendSignInCode(to, '123456');
  await mail.sendEmailCode(to, '654321');
  for (const isReminder of [false, true]) await mail.sendInvitation(to, 'Gulf\r\nCo\nast', isReminder);
  await mail.sendStaffInvitation(to, 'Gulf\nCoast');
  await mail.sendLateOffers(to, 'Gulf\rCoast', 3);
  await mail.sendCredentialsExpire(to, '2027-04-30');
  for (const isGone of [true, false]) await mail.sendWebhookPaused(to, 'hooks.example', isGone);
  for (const event of ['email_requested', 'email_changed', 'passkey_added', 'passkey_removed'] as const)
    await mail.sendAccountNotice(to, event);
  const from = { name: 'Claim assignments', address: 'no-reply@claims.example' };
  for (const one of sent) expect(one).toMatchObject({ to: { name: '', address: to }, from });
  const lineOf = ({ subject, text }: { subject: string; text: string }) =>
    `${subject}\n${text}`.replaceAll('\n', ' | ').trimEnd();
  const mails = readFileSync(new URL('mails.txt', import.meta.url), 'utf8');
  expect(sent.map((one) => lineOf(Object(one)))).toEqual(mails.split('\n').slice(0, -1));
});

test.each([
  ['http://127.0.0.1:3000', 'smtp://one', 'no-reply@[127.0.0.1]'],
  ['http://[::1]:3000', 'smtp://one', 'no-reply@[IPv6:::1]'],
  [SITE, 'smtp://two?from=claims@gulf.example', 'claims@gulf.example'],
])('the sender is of the address %s, unless the URL %s names one', async (address, url, sender) => {
  const { sent, used, mail } = underTest({ 'smtp://one': failure('EAUTH') }, url, address);
  // The first one again with the new login, and a later one.
  for (let n = 0; n < 2; n += 1) await mail.sendSignInCode(to, '1');
  for (const at of [1, -1]) expect(sent.at(at)).toMatchObject({ from: { address: sender } });
  expect(url.split('?')).toContain(used.at(-1));
});

test('without a mail server the operator finds codes in the log, and no addresses', async () => {
  const { logged, log } = underTest({});
  const mail = createMailLog(log);
  await Promise.all([mail.sendSignInCode(to, '123456'), mail.sendEmailCode(to, '654321')]);
  await Promise.all([mail.sendStaffInvitation(to, 'Gulf'), mail.sendLateOffers(to, 'Gulf', 3)]);
  await Promise.all([mail.sendInvitation(to, 'Gulf', false), mail.sendAccountNotice(to, 'email_changed')]);
  await Promise.all([mail.sendCredentialsExpire(to, '2027'), mail.sendWebhookPaused(to, 'host', true)]);
  const unset = (level: string, what: string) => ({ level, message: `SMTP_URL is unset; ${what}` });
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    { ...unset('warn', 'sign-in code not emailed'), sign_in_code: '123456' },
    { ...unset('warn', 'code for a new email address not emailed'), email_code: '654321' },
    unset('debug', 'invitation of a staff member not emailed'),
    unset('debug', 'mail about late offers not sent'),
    unset('debug', 'invitation not emailed'),
    unset('debug', 'notice about an account not emailed'),
    unset('debug', 'reminder of credentials not emailed'),
    unset('debug', 'notice about a webhook not emailed'),
  ]);
});

const UNTRUSTED = new Error('self signed certificate');
const WHY = expect.stringContaining('is not signed by a trusted authority');
test('a mail server whose certificate is not trusted is named as the reason that no mail was sent', async () => {
  const { mail, logged } = underTest({ 'smtp://one': UNTRUSTED });
  await mail.sendSignInCode(to, '123456');
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ level: 'error', message: 'a sign-in code could not be emailed', error_code: 'unknown' },
      reason: expect.stringMatching(/^could not connect to the mail server: its certificate is not signed/),
    },
  ]);
});

test.each([
  [null, null],
  [new Error('535 wrong password'), '535 wrong password'],
  [UNTRUSTED, WHY],
  ['no error', 'no error'],
])(
  'an operator is told why no mail would be sent after %p, and the connection is closed',
  async (error, why) => {
    let closed = 0;
    jest.spyOn(nodemailer, 'createTransport').mockImplementation((options) => {
      expect(Object(options).url).toBe('smtp://one?x=1');
      const transport: Transport = {
        ...{ name: 'test', version: '1', send() {} },
        verify: () => (error === null ? Promise.resolve(true) : Promise.reject(error)),
        close: () => (closed += 1),
      };
      return createTransport(transport);
    });
    expect(await mailProblem('smtp://one?from=a@x&x=1')).toEqual(why);
    expect(closed).toBe(1);
  },
);
