import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { ReceiptKey } from '@svc/application';
import { createReceiptKey, createReceiptSigner } from '../src/receipt-signer.ts';

// RFC 8037, appendix A: a private key, its public key, and the thumbprint of that.
const D = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

test('a receipt is a JWS that the listed public key verifies, also of a process that loads its key at the second attempt', async () => {
  const earlier = { kid: 'earlier', x: 'x' };
  const stored: ReceiptKey[] = [earlier];
  let loads = 0;
  const keys = {
    async add(key: ReceiptKey) {
      if (loads === 1) throw new Error('no database');
      stored.push(key);
    },
    all: async () => stored,
  };
  const privateKey = () => {
    loads += 1;
    return Buffer.from(D, 'base64url');
  };
  const signer = createReceiptSigner({ privateKey, keys });
  expect(loads).toBe(0);
  await expect(signer.sign({})).rejects.toThrow('no database');
  const payload = { status: 'accepted', note: 'Peña' };
  const [receipt] = await Promise.all([signer.sign(payload), signer.sign(payload)]);
  expect([await signer.publicKeys(), loads]).toEqual([[earlier, { kid: KID, x: X }], 2]);
  const [header = '', body = '', signature = ''] = receipt.split('.');
  const [head, content] = [header, body].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  expect([head, content]).toEqual([{ alg: 'EdDSA', kid: KID, typ: 'offer-receipt+jwt' }, payload]);
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: X } });
  const signed = Buffer.from(`${header}.${body}`);
  expect(verify(null, signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  const listed: ReceiptKey[] = [];
  const empty = { add: async (one: ReceiptKey) => void listed.push(one), all: async () => listed };
  expect(await createReceiptSigner({ privateKey, keys: empty }).publicKeys()).toEqual([{ kid: KID, x: X }]);
  const made = [createReceiptKey(), createReceiptKey()];
  expect([made[0] === made[1], Buffer.from(made[0] ?? '', 'base64').length]).toEqual([false, 32]);
});
