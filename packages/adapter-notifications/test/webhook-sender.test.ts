import { expect, test } from '@jest/globals';
import { createPost, createWebhookSender } from '../src/index.ts';
import { NameNotResolvedError, type Post, PrivateAddressError } from '../src/post.ts';

const MESSAGE = { id: 'msg_1', url: 'https://hooks.example/', secrets: ['whsec_AAAA', 'whsec_BBBB'] };
const send = (post: Post, body = '{}') =>
  createWebhookSender(false, post).send({ ...MESSAGE, body }, 1999, 1);

test('a signal has the bytes of its body, the second in which it is sent, and a signature for each secret', async () => {
  let sent: Parameters<Post>[1] | undefined;
  const response = await send(async (_, options) => {
    sent = options;
    return { status: 503, retryAfter: '30', body: 'Später\u0007 \n bitte' };
  }, '{"name":"é"}');
  expect(response).toEqual({ status: 503, retryAfterMs: 30_000, body: 'Später bitte' });
  expect(sent?.headers).toMatchObject({
    'content-length': 13,
    'webhook-timestamp': '1',
    'webhook-signature': expect.stringMatching(/^v1,\S{44} v1,\S{44}$/),
  });
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
