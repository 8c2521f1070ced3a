import { afterEach, expect, jest, test } from '@jest/globals';
import nodemailer, { type Transport } from 'nodemailer';
import { createMail, type Mail } from '../src/index.ts';

const { createTransport } = nodemailer;
afterEach(() => void jest.restoreAllMocks());

/** Mail through a server whose address may be another one later, and servers of which some fail. */
function underTest(errors: Readonly<Record<string, Error>>, later = 'smtp://one') {
  const used: string[] = [];
  const logged: string[] = [];
  const note = (message: string, fields?: object) => void logged.push(JSON.stringify({ message, ...fields }));
  jest.spyOn(nodemailer, 'createTransport').mockImplementation((options) => {
    const { url } = Object(options);
    const send: Transport['send'] = (_, done) => {
      used.push(url);
      done(errors[url] ?? null);
    };
    const transport: Transport = { name: 'test', version: '1', send };
    return createTransport(transport);
  });
  const [urls, site] = [['smtp://one'], () => 'https://claims.example'];
  const log = { debug: note, info: note, warn: note, error: note };
  const mail = createMail(() => urls.shift() ?? later, site, log);
  return { used, logged, mail };
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
  ...[failure('EENVELOPE', 550), failure('EMESSAGE', 552), failure('EENVELOPE', 451)],
  ...[failure('EENVELOPE'), failure('EAUTH', 535), failure('ECONNECTION')],
];

test.each<[name: string, retried: number, send: (mail: Mail) => Promise<void>]>([
  ['an invitation', 4, (mail) => mail.sendInvitation(to, 'Gulf', true)],
  ['credentials', 4, (mail) => mail.sendCredentialsExpire(to, '2027-04-30')],
  ['a webhook', 4, (mail) => mail.sendWebhookPaused(to, 'hooks.example', false)],
  ['a sign-in code', 0, (mail) => mail.sendSignInCode(to, '123456')],
  ['a code for an address', 0, (mail) => mail.sendEmailCode(to, '123456')],
  ['an invitation of staff', 0, (mail) => mail.sendStaffInvitation(to, 'Gulf')],
  ['late offers', 0, (mail) => mail.sendLateOffers(to, 'Gulf', 3)],
  ['a notice', 0, (mail) => mail.sendAccountNotice(to, 'passkey_added')],
])(
  'the mail %s is sent again after the last %i failures; the log has neither address nor code',
  async (...row) => {
    const [, retried, send] = row;
    for (const [n, error] of FAILURES.entries()) {
      const { mail, logged } = underTest({ 'smtp://one': error });
      const end = await send(mail).catch((thrown) => thrown);
      expect([n, end]).toEqual([n, n < FAILURES.length - retried ? undefined : error]);
      expect(logged.map((line) => JSON.parse(line).error_code)).toEqual(end ? [] : [error.code]);
      expect(logged.join()).not.toMatch(/a@x|123456/);
    }
  },
);
