import { describe, expect, it, jest } from '@jest/globals';
import { webhooks } from '@svc/contract';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts';

const secretOf = (letter: string): string => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
const [SECRET, OTHER] = [secretOf('a'), secretOf('b')];
const ID = '0199a3f0-6f52-7c1a-9d38-2b1f0a7c44e1';
const EVENT = webhooks['claims.changed'].example;
const BODY = JSON.stringify(EVENT);

function signed(body: string, secret = SECRET, at = new Date()) {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, body),
  };
}

const OF_V2 = signed(BODY)['webhook-signature'].replace('v1', 'v2');

describe('a webhook', () => {
  it('is verified as it arrives in any server: headers as a map or an object, the body as text or bytes', async () => {
    const headers = signed(BODY);
    const bytes = new TextEncoder().encode(BODY);
    const given = [
      { body: BODY, headers },
      { body: bytes, headers: new Headers(headers) },
      { body: Buffer.from(bytes), headers: { ...headers, host: 'hooks.example', accept: ['a', 'b'] } },
    ];
    for (const each of given) expect(await verifyWebhook({ ...each, secret: SECRET })).toEqual(EVENT);
  });

  it('is verified with header names in any case, and with values in arrays', async () => {
    const headers = Object.entries(signed(BODY));
    const other = new Webhook(OTHER).sign(ID, new Date(), BODY);
    const titleCase = (name: string) => name.replace(/(^|-)./g, (letter) => letter.toUpperCase());
    for (const each of [
      headers.map(([name, value]) => [titleCase(name), value]),
      headers.map(([name, value]) => [name.toUpperCase(), value]),
      headers.map(([name, value]) => [name, [value]]),
      headers.map(([name, value]) => [
        titleCase(name),
        name === 'webhook-signature' ? [other, value] : [value, value],
      ]),
    ]) {
      const webhook = { body: BODY, headers: Object.fromEntries(each), secret: SECRET };
      expect(await verifyWebhook(webhook)).toEqual(EVENT);
    }
  });

  it.each([
    ['no header', undefined, 'the request has no header webhook-id'],
    ['an empty array', [], 'the request has no header webhook-id'],
    ['two different ids', [ID, 'x'], 'the request has several headers webhook-id'],
  ])('with %s for its id is rejected', async (_, id, message) => {
    const webhook = { body: BODY, headers: { ...signed(BODY), 'webhook-id': id }, secret: SECRET };
    const failure = new WebhookVerificationError(message);
    await expect(verifyWebhook(webhook)).rejects.toThrow(failure);
    if (id !== undefined) return;
    await expect(verifyWebhook({ ...webhook, headers: new Headers() })).rejects.toThrow(failure);
  });

  it('in base64, or parsed by a framework, is rejected with what to do', async () => {
    const headers = signed(BODY);
    for (const body of [btoa(BODY), Buffer.from(btoa(BODY)), btoa(`${BODY} `)])
      await expect(verifyWebhook({ body, headers, secret: SECRET })).rejects.toThrow(
        'no signature in webhook-signature matches; the body is in base64: decode it first',
      );
    await expect(verifyWebhook({ body: `${BODY} `, headers, secret: SECRET })).rejects.toThrow(/matches$/);
    const parsed = JSON.parse(BODY) as string;
    await expect(verifyWebhook({ body: parsed, headers, secret: SECRET })).rejects.toThrow(
      new TypeError('body must be the bytes or the text that arrived, not what a framework has parsed'),
    );
  });

  it.each<[number | undefined, number]>([
    [undefined, 300],
    [60, 60],
  ])('with a tolerance of %s seconds is taken from %d before to as much after', async (tolerance, most) => {
    const at = new Date(Date.UTC(2026, 7, 29));
    const webhook = { body: BODY, headers: signed(BODY, SECRET, at), secret: SECRET };
    const clock = jest.spyOn(Date, 'now');
    const taken: number[] = [];
    for (const seconds of [-most - 1, -most, most, most + 1]) {
      clock.mockReturnValue(at.getTime() + seconds * 1000);
      await verifyWebhook({ ...webhook, toleranceSeconds: tolerance }).then(
        () => taken.push(seconds),
        () => {},
      );
    }
    clock.mockRestore();
    expect(taken).toEqual([-most, most]);
  });

  it.each(['whsec_', 'whsec_***'])('is not verified with the secret %s, which is none', async (secret) => {
    await expect(verifyWebhook({ body: BODY, headers: signed(BODY), secret })).rejects.toThrow(TypeError);
  });

  it('is verified with either secret while it is rolled', async () => {
    const headers = signed(BODY);
    // Among those of another version, and what is none.
    const both = `${OF_V2} v1,*** ${new Webhook(OTHER).sign(ID, new Date(), BODY)} ${headers['webhook-signature']}`;
    const twice = { ...headers, 'webhook-signature': both };
    // As Node and `Headers` join a header that is repeated.
    const joined = new Headers({ ...twice, 'webhook-signature': both.replaceAll(' ', ', ') });
    for (const secret of [SECRET, OTHER, [OTHER, SECRET]])
      for (const sent of [twice, joined])
        expect(await verifyWebhook({ body: BODY, headers: sent, secret })).toEqual(EVENT);
    for (const secret of [
      [SECRET, OTHER],
      [OTHER, SECRET],
    ])
      expect(await verifyWebhook({ body: BODY, headers, secret })).toEqual(EVENT);
  });

  it.each([
    ['another body', { body: BODY.replace('live', 'test') }],
    ['another secret', { secret: OTHER }],
    ['no signature', { headers: { ...signed(BODY), 'webhook-signature': undefined } }],
    ['another version of the signature', { headers: { ...signed(BODY), 'webhook-signature': OF_V2 } }],
    ['a signature that is no base64', { headers: { ...signed(BODY), 'webhook-signature': 'v1,***' } }],
    ['another id', { headers: { ...signed(BODY), 'webhook-id': 'x' } }],
    ['a time that is no number', { headers: { ...signed(BODY), 'webhook-timestamp': 'NaN' } }],
  ])('with %s is rejected', async (_, changed) => {
    const webhook = { body: BODY, headers: signed(BODY), secret: SECRET, ...changed };
    await expect(verifyWebhook(webhook)).rejects.toThrow(WebhookVerificationError);
  });
});
