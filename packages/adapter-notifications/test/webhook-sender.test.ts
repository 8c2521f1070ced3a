import { createHmac } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { MAX_WEBHOOK_URL_LENGTH } from '@svc/domain';
import { createPost, createWebhookSender } from '../src/index.ts';
import { NameNotResolvedError, type Post, PrivateAddressError } from '../src/post.ts';

const MESSAGE = { id: 'msg_1', url: 'https://hooks.example/', secrets: ['whsec_AAAA', 'whsec_BBBB'] };
const send = (post: Post, body = '{}') =>
  createWebhookSender(false, post).send({ ...MESSAGE, body }, 1999, 1);

/** By the specification: of id, second and body, with the secret as bytes. */
const signatureWith = (hex: string): string =>
  `v1,${createHmac('sha256', Buffer.from(hex, 'hex')).update('msg_1.1.{"name":"é"}').digest('base64')}`;

test('a signal has the bytes of its body, the second in which it is sent, and a signature for each secret', async () => {
  let sent: Parameters<Post> | undefined;
  const response = await send(async (...given) => {
    sent = given;
    return { status: 503, retryAfter: '30', body: ' Später\u0007\u202e \n bitte\n' };
  }, '{"name":"é"}');
  expect(response).toEqual({ status: 503, retryAfterMs: 30_000, body: 'Später bitte' });
  const headers = {
    'content-length': 13,
    'content-type': 'application/json',
    'user-agent': 'claim-assignment-webhooks',
    'webhook-timestamp': '1',
    'webhook-id': 'msg_1',
    'webhook-signature': ['000000', '041041'].map(signatureWith).join(' '),
  };
  expect(sent).toEqual([MESSAGE.url, { headers, body: '{"name":"é"}', timeoutMs: 1 }]);
});

test.each([
  [undefined, null],
  ['120', 120_000],
  ['0.5', 500],
  ['0', null],
  ['-1', null],
  ['later', null],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 2026 00:00:00 GMT', null],
])('Retry-After: %s is a wait of %d ms', async (retryAfter, retryAfterMs) => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0) });
  const answered = send(async () => ({ status: 429, retryAfter, body: '' }));
  expect(await answered.finally(() => jest.useRealTimers())).toEqual({ status: 429, retryAfterMs, body: '' });
});

const coded = (code: string) => Object.assign(new Error('failed'), { code });
test.each([
  ['private_address', new PrivateAddressError()],
  ['name_not_resolved', new NameNotResolvedError()],
  ['timeout', Object.assign(new Error('failed'), { name: 'AbortError' })],
  ['timeout', Object.assign(new Error('failed'), { name: 'TimeoutError' })],
  ['timeout', coded('ETIMEDOUT')],
  ['tls_failed', coded('EPROTO')],
  ['tls_failed', coded('CERT_HAS_EXPIRED')],
  ['tls_failed', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['tls_failed', coded('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['tls_failed', Object.assign(coded('UNABLE_TO_VERIFY'), { message: 'self-signed certificate' })],
  ['connection_failed', coded('ECONNREFUSED')],
])('a firm gets %s as the reason of a signal that failed: %p', async (expected, error) => {
  expect(await send(() => Promise.reject(error))).toEqual({ error: expected });
});

test('what is given up while its name is resolved makes no connection', async () => {
  const givenUp = new AbortController();
  const post = createPost(true, async () => {
    givenUp.abort(new Error('given up'));
    return [{ address: '127.0.0.1', family: 4 }];
  });
  const options = { headers: {}, body: null, timeoutMs: 5000, signal: givenUp.signal };
  await expect(post('http://push.example:9/', options)).rejects.toThrow('given up');
});

const LONG = `https://8.8.8.8/${'x'.repeat(MAX_WEBHOOK_URL_LENGTH - 16)}`;
const problemsOf = (allowed: string, hostname: string) => ({
  none: null,
  form: `The URL must be an address that starts with ${allowed}, of at most ${MAX_WEBHOOK_URL_LENGTH} characters.`,
  start: `The URL must start with ${allowed}.`,
  extra: 'The URL must have no user name, password or fragment.',
  private: `The URL must lead to a public address; ${hostname} is on a private network or on this machine.`,
});
type Problem = keyof ReturnType<typeof problemsOf>;
test.each<[url: string, problem: Problem, whileDeveloping: Problem]>([
  ['https://hooks.example/a?b=c', 'none', 'none'],
  ['http://hooks.example/', 'start', 'start'],
  ['ftp://hooks.example/', 'start', 'start'],
  ['ftp://localhost/', 'start', 'start'],
  ['hooks.example', 'form', 'form'],
  [LONG, 'none', 'none'],
  [`${LONG}x`, 'form', 'form'],
  ...['https://a@x.example/', 'https://:b@x.example/', 'https://x.example/#', 'https://x.example/#a'].map(
    (url): [string, Problem, Problem] => [url, 'extra', 'extra'],
  ),
  ['http://127.255.255.255/', 'start', 'none'],
  ['https://localhost/', 'private', 'none'],
  ['http://a.localhost./', 'start', 'none'],
  ['http://[::1]/', 'start', 'none'],
  ['http://notlocalhost/', 'start', 'start'],
  ['https://localhost.example/', 'none', 'none'],
  ['https://10.0.0.1/', 'private', 'private'],
  ['https://[::ffff:10.0.0.1]/', 'private', 'private'],
  ['http://[::ffff:127.0.0.1]/', 'start', 'none'],
  ['https://[::ffff:8.8.8.8]/', 'private', 'private'],
  ['https://[2606:4700::1111]/', 'none', 'none'],
])('the problem of an endpoint at %s is %s, during development %s', (url, problem, whileDeveloping) => {
  const post: Post = () => Promise.reject(new Error('called'));
  const problems = [false, true].map((developing) => createWebhookSender(developing, post).problemOf(url));
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  expect(problems).toEqual([
    problemsOf('https://', hostname)[problem],
    problemsOf('https://, or http:// on this machine', hostname)[whileDeveloping],
  ]);
});
