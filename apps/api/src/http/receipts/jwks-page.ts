import type { ReceiptSigner } from '@svc/application';
import { type PageRoute, pageRoute } from '../routes/page-route.ts';

/** A verifier that meets an unknown `kid` reads the keys again. */
const MAX_AGE_SECONDS = 300;

/** The public keys of receipts (RFC 7517). Those of earlier keys stay. */
export const jwksPage = ({ receiptSigner }: { readonly receiptSigner: ReceiptSigner }): PageRoute =>
  pageRoute('/.well-known/jwks.json', async (_, response) => {
    const keys = (await receiptSigner.publicKeys()).map(({ kid, x }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      kid,
      alg: 'EdDSA',
      use: 'sig',
    }));
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.end(JSON.stringify({ keys }));
  });
