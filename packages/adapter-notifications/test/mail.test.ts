import { afterEach, expect, jest, test } from '@jest/globals';
import nodemailer, { type Transport } from 'nodemailer';
import { createMail, type Mail } from '../src/index.ts';

const { createTransport } = nodemailer;
afterEach(() => void jest.restoreAllMocks());

/** Mail through servers of which some fail, by URL. `server.url` is what is configured now. */
function underTest(errors: Readonly<Record<string, Error>>) {
  const used: string[] = [];
  const logged: string[] = [];
  const note = (message: string, fields?: object) => void logged.push(JSON.stringify({ message, ...fields }));
  const server = { url: 'smtp://one' };
  jest.spyOn(nodemailer, 'createTransport').mockImplementation((options) => {
    const { url } = Object(options);
    const transport: Transport = {
      ...{ name: 'test', version: '1' },
      send(_, done) {
        used.push(url);
        done(errors[url] ?? null, null);
      },
    };
    return createTransport(transport);
  });
  const log = { debug: note, info: note, warn: note, error: note };
  const mail = createMail(
    () => server.url,
    () => 'https://claims.example',
    log,
  );
  return { used, logged, server, mail };
}

const failure = (code: string, responseCode?: number) =>
  Object.assign(new Error('a@x.example was rejected'), { code, responseCode });

test.each([
  ['EAUTH', 'smtp://two', ['smtp://one', 'smtp://two', 'smtp://two'], 0],
  ['EAUTH', 'smtp://one', ['smtp://one', 'smtp://one'], 2],
  ['ECONNECTION', 'smtp://two', ['smtp://one', 'smtp://one'], 2],
])('after %s, what is configured now, %s, is used if it is a new login', async (...row) => {
  const [code, url, servers, failed] = row;
  const { used, server, mail } = underTest({ 'smtp://one': failure(code, 535) });
  server.url = url;
  const send = () => mail.sendInvitation('a@x.example', 'Gulf', false);
  const ends = [await Promise.allSettled([send()]), await Promise.allSettled([send()])].flat();
  expect(used).toEqual(servers);
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(failed);
});

const to = 'a@x.example';
const MAILS: readonly [name: string, mayRetry: boolean, send: (mail: Mail) => Promise<void>][] = [
  ['an invitation', true, (mail) => mail.sendInvitation(to, 'Gulf', true)],
  ['credentials', true, (mail) => mail.sendCredentialsExpire(to, '2027-04-30')],
  ['a webhook', true, (mail) => mail.sendWebhookPaused(to, 'hooks.example', false)],
  ['a sign-in code', false, (mail) => mail.sendSignInCode(to, '123456')],
  ['a code for an address', false, (mail) => mail.sendEmailCode(to, '123456')],
  ['an invitation of staff', false, (mail) => mail.sendStaffInvitation(to, 'Gulf')],
  ['late offers', false, (mail) => mail.sendLateOffers(to, 'Gulf', 3)],
  ['a notice', false, (mail) => mail.sendAccountNotice(to, 'passkey_added')],
];

test.each(MAILS)(
  '%s is to be sent again after a failure that may pass: %s; no failure logs the address or a code',
  async (...row) => {
    const [, mayRetry, send] = row;
    for (const [error, isPermanent] of [
      [failure('EENVELOPE', 550), true],
      [failure('EMESSAGE', 552), true],
      [failure('EENVELOPE', 451), false],
      [failure('EENVELOPE'), false],
      [failure('EAUTH', 535), false],
      [failure('ECONNECTION'), false],
    ] as const) {
      const { mail, logged } = underTest({ 'smtp://one': error });
      const isRetried = mayRetry && !isPermanent;
      const [end] = await Promise.allSettled([send(mail)]);
      expect([error.code, end.status]).toEqual([error.code, isRetried ? 'rejected' : 'fulfilled']);
      expect(logged.map((line) => JSON.parse(line).error_code)).toEqual(isRetried ? [] : [error.code]);
      expect(logged.join()).not.toMatch(/a@x|123456/);
    }
  },
);
