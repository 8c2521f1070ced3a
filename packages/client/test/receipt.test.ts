import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { expect, it, jest } from '@jest/globals';
import { ReceiptError, verifyReceipt } from '../src/index.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const { x } = publicKey.export({ format: 'jwk' });
const KEYS = {
  keys: [
    { kty: 'RSA', kid: 'k1' },
    { kty: 'OKP', crv: 'X25519', kid: 'k1', x: 'AA' },
    { kty: 'OKP', crv: 'Ed25519', kid: 'k1', x, alg: 'EdDSA' },
    { kty: 'OKP', crv: 'Ed25519', kid: 'k3' },
  ],
};
const CONTENT = { claim_id: 'c1', decided_by: { text: 'Ünïcode 🌊' } };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signedBy =
  (signature: (signed: Buffer) => Buffer) =>
  (header: unknown = { alg: 'EdDSA', kid: 'k1' }, content: unknown = CONTENT): string => {
    const signed = `${encoded(header)}.${encoded(content)}`;
    return `${signed}.${signature(Buffer.from(signed)).toString('base64url')}`;
  };
const receiptWith = signedBy((signed) => sign(null, signed, privateKey));
const codeOf = (receipt: string, jwks: Parameters<typeof verifyReceipt>[1]['jwks'] = KEYS) =>
  verifyReceipt(receipt, { jwks }).then(
    () => 'genuine',
    (error) => (error instanceof ReceiptError ? 'false' : error.message),
  );

it('a genuine receipt is verified with saved keys, and with those of a URL', async () => {
  expect(await verifyReceipt(`${receiptWith()}\n`, { jwks: KEYS })).toEqual(CONTENT);
  const asked: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push(String(url), init?.signal);
    return Response.json(KEYS);
  };
  const url = 'https://claims.example/.well-known/jwks.json';
  const { signal } = new AbortController();
  for (const jwks of [url, new URL(url)])
    expect(await verifyReceipt(receiptWith(), { jwks, fetch, signal })).toEqual(CONTENT);
  expect(asked).toEqual([url, signal, url, signal]);
  const spy = jest.spyOn(globalThis, 'fetch').mockImplementation(fetch);
  expect(await verifyReceipt(receiptWith(), { jwks: url }).finally(() => spy.mockRestore())).toEqual(CONTENT);
});

it('a receipt with one altered bit or byte anywhere is not genuine', async () => {
  const receipt = Buffer.from(receiptWith());
  const passed: string[] = [];
  for (let at = 0; at < receipt.length; at += 1)
    for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
      const altered = Buffer.from(receipt);
      altered[at] = (receipt[at] ?? 0) ^ mask;
      if ((await codeOf(altered.toString('latin1'))) !== 'false') passed.push(`byte ${at}, mask ${mask}`);
    }
  expect(passed).toEqual([]);
});

it('another algorithm, an unknown key, a part too many and content that is no object are rejected', async () => {
  const rejected = [
    receiptWith({ alg: 'none', kid: 'k1' }),
    receiptWith({ alg: 'HS256', kid: 'k1' }),
    receiptWith({ alg: 'EdDSA' }),
    receiptWith({ alg: 'EdDSA', kid: 'k2' }),
    receiptWith({ alg: 'EdDSA', kid: 'k3' }),
    receiptWith({ alg: 'EdDSA', kid: 'k1', crit: ['exp'] }),
    receiptWith(undefined, ['c1']),
    receiptWith(undefined, null),
    `${receiptWith()}.e30`,
    receiptWith().replace(/[^.]*$/, ''),
    '',
  ];
  expect(await Promise.all(rejected.map((receipt) => codeOf(receipt)))).toEqual(rejected.map(() => 'false'));
  const kid = 'k'.repeat(100);
  const unknown = verifyReceipt(receiptWith({ alg: 'EdDSA', kid: `${kid}1` }), { jwks: KEYS });
  await expect(unknown).rejects.toThrow(`with the key "${kid}", which is not among the keys.`);
  expect(await codeOf(receiptWith(), JSON.parse('{}'))).toContain('must have a member "keys"');
});

it('no header makes a forged receipt genuine, or the keys be read from anywhere else', async () => {
  const asked: unknown[] = [];
  const url = 'https://claims.example/.well-known/jwks.json';
  const fetch: typeof globalThis.fetch = async (from) => {
    asked.push(from);
    return Response.json(KEYS);
  };
  const forger = generateKeyPairSync('ed25519');
  const forgedWith = signedBy((signed) => sign(null, signed, forger.privateKey));
  const [jwk, address] = [forger.publicKey.export({ format: 'jwk' }), 'https://forger.example/keys'];
  const secrets = [
    Buffer.from(x ?? '', 'base64url'),
    publicKey.export({ format: 'der', type: 'spki' }),
    publicKey.export({ format: 'pem', type: 'spki' }),
    encoded(KEYS.keys[2]),
    '',
  ];
  const [head, content, end] = receiptWith().split('.');
  const signatures = [
    { protected: head, signature: end },
    { protected: head, signature: end },
  ];
  const forged = [
    ...[{}, { jwk }, { jku: address }, { x5u: address }, { x5c: [jwk.x] }].map((more) =>
      forgedWith({ alg: 'EdDSA', kid: 'k1', ...more }),
    ),
    ...[address, '../../etc/passwd', '/dev/null', 'k1/../k1', '__proto__', '0'].map((kid) =>
      forgedWith({ alg: 'EdDSA', kid, jwk, jku: kid }),
    ),
    ...['sha256', 'sha512'].flatMap((hash) =>
      [`HS${hash.slice(3)}`, 'EdDSA'].flatMap((alg) =>
        secrets.map((secret) =>
          signedBy((signed) => createHmac(hash, secret).update(signed).digest())({ alg, kid: 'k1' }),
        ),
      ),
    ),
    ...['none', 'None', ''].map((alg) => signedBy(() => Buffer.alloc(0))({ alg, kid: 'k1' })),
    signedBy(() => Buffer.alloc(64))({ alg: 'none', kid: 'k1' }),
    JSON.stringify({ payload: content, signatures }),
    `${receiptWith()}.${end}`,
    receiptWith().replace(/[^.]*$/, `${end}${end}`),
  ];
  const found = forged.map((receipt) =>
    verifyReceipt(receipt, { jwks: url, fetch }).catch((error) => error instanceof ReceiptError),
  );
  expect(await Promise.all(found)).toEqual(forged.map(() => true));
  expect(new Set(asked)).toEqual(new Set([url]));
});

it('keys that cannot be read are an error of their own', async () => {
  const fetch: typeof globalThis.fetch = async () => new Response('', { status: 503 });
  await expect(verifyReceipt(receiptWith(), { jwks: 'https://claims.example/k', fetch })).rejects.toThrow(
    'https://claims.example/k returned 503',
  );
});
