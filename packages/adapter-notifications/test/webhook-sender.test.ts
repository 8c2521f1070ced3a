import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
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
    return { status: 503, retryAfter: '30', body: 'Später\u0007 \n bitte' };
  }, '{"name":"é"}');
  expect(response).toEqual({ status: 503, retryAfterMs: 30_000, body: 'Später bitte' });
  const headers = {
    'content-length': 13,
    'content-type': 'application/json',
    'webhook-timestamp': '1',
    'webhook-id': 'msg_1',
    'webhook-signature': ['000000', '041041'].map(signatureWith).join(' '),
  };
  expect(sent).toMatchObject([MESSAGE.url, { headers, body: '{"name":"é"}', timeoutMs: 1 }]);
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
test.each<[url: string, isAllowed: boolean, whileDeveloping: boolean]>([
  ['https://hooks.example/a?b=c', true, true],
  ['http://hooks.example/', false, false],
  ['ftp://hooks.example/', false, false],
  ['hooks.example', false, false],
  [LONG, true, true],
  [`${LONG}x`, false, false],
  ...['https://a@x.example/', 'https://:b@x.example/', 'https://x.example/#', 'https://x.example/#a'].map(
    (url): [string, boolean, boolean] => [url, false, false],
  ),
  ['http://127.255.255.255/', false, true],
  ['https://localhost/', false, true],
  ['http://a.localhost./', false, true],
  ['http://[::1]/', false, true],
  ['http://notlocalhost/', false, false],
  ['https://localhost.example/', true, true],
  ['https://10.0.0.1/', false, false],
  ['https://[::ffff:10.0.0.1]/', false, false],
  ['http://[::ffff:127.0.0.1]/', false, true],
  ['https://[::ffff:8.8.8.8]/', false, false],
  ['https://[2606:4700::1111]/', true, true],
])('an endpoint at %s is allowed: %s, during development: %s', (url, isAllowed, whileDeveloping) => {
  const problems = [false, true].map((allowLoopback) =>
    createWebhookSender(allowLoopback, createPost(allowLoopback)).problemOf(url),
  );
  expect(problems.map((problem) => problem === null)).toEqual([isAllowed, whileDeveloping]);
});
