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
  const [urls, site] = [['smtp://one'], () => address];
  const mail = createMail(() => urls.shift() ?? later, site, log);
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

const APP = `${SITE}/app`;
const DESK = `${SITE}/firm`;
test.each<
  [name: string, (mail: Mail) => Promise<void>, subject: string, english: string[], spanish: string[]]
>([
  ['a sign-in code', (mail) => mail.sendSignInCode(to, '12'), 'code · Su código', ['is 12.'], ['es 12.']],
  [
    'a code for an address',
    (mail) => mail.sendEmailCode(to, '65'),
    'your new email address · Confirme su nuevo correo',
    ['Enter 65'],
    ['Escriba 65'],
  ],
  [
    'an invitation',
    (mail) => mail.sendInvitation(to, 'A\r\nB', false),
    'A B: invitation · invitación',
    ...invitation(false),
  ],
  ['a reminder', (mail) => mail.sendInvitation(to, 'A\nB', true), 'waiting · su', ...invitation(true)],
  [
    'one of staff',
    (mail) => mail.sendStaffInvitation(to, 'A\nB'),
    'A B: your account · su cuenta',
    ['A B invites you', DESK],
    ['A B le invita', DESK],
  ],
  [
    'late offers',
    (mail) => mail.sendLateOffers(to, 'A\nB', 3),
    'A B: late offers · ofertas atrasadas',
    ['does: 3', DESK],
    ['firma: 3', DESK],
  ],
  ['credentials', (mail) => mail.sendCredentialsExpire(to, '2027-04-30'), 'soon · Una', ...credentials()],
  [
    'an endpoint that is gone',
    (mail) => mail.sendWebhookPaused(to, 'h', true),
    'paused · Se pausó',
    ...paused('410 Gone'),
  ],
  ['one that fails', (mail) => mail.sendWebhookPaused(to, 'h', false), 'paused', ...paused('three', 'tres')],
  ['a request', notice('email_requested'), 'Your account · Su cuenta', ['was requested'], ['Se pidió']],
  ['a change', notice('email_changed'), 'Your account', ['replaced'], ['reemplazó']],
  ['a passkey', notice('passkey_added'), 'Your account', ['passkey was added'], ['Se agregó']],
  ['one less', notice('passkey_removed'), 'Your account', ['passkey was removed'], ['Se eliminó']],
])('a mail has its links and values in English and Spanish: %s', async (_, send, subject, ...texts) => {
  const { sent, mail } = underTest({});
  await send(mail);
  const from = { name: 'Claim assignments', address: 'no-reply@claims.example' };
  expect(sent).toHaveLength(1);
  expect(sent).toMatchObject([{ to: { address: to }, from, subject: expect.stringContaining(subject) }]);
  expect(Object(sent[0]).subject).not.toMatch(/[\r\n]/);
  const parts = Object(sent[0]).text.split('\n\n');
  expect(parts).toHaveLength(2);
  for (const [n, values] of texts.entries()) for (const value of values) expect(parts[n]).toContain(value);
});

function invitation(isReminder: boolean): [string[], string[]] {
  const [english, spanish] = isReminder ? ['before', 'antes'] : ['within seven', 'dentro de siete'];
  return [
    ['A B invites', ` ${english} `, ` ${APP}`],
    ['A B le invita', ` ${spanish} `, ` ${APP}`],
  ];
}
function credentials(): [string[], string[]] {
  const values = ['2027-04-30', `${APP}#/credentials`];
  return [values, values];
}
function paused(english: string, spanish = english): [string[], string[]] {
  return [
    [' h ', english, DESK],
    [' h ', spanish, DESK],
  ];
}
function notice(event: Parameters<Mail['sendAccountNotice']>[1]) {
  return (mail: Mail) => mail.sendAccountNotice(to, event);
}

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
