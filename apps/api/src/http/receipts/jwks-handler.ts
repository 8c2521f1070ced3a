import type { ReceiptSigner } from '@svc/application';
import type { RequestHandler } from 'express';
import { HttpProblem } from '../problems/http-problem.ts';
import type { RequestTrace } from '../request-log.ts';

const PATH = '/.well-known/jwks.json';
/** A verifier that meets an unknown `kid` reads the keys again. */
const MAX_AGE_SECONDS = 300;

/** The public keys of receipts (RFC 7517). Those of earlier keys stay. */
export const jwksHandler =
  ({ receiptSigner }: { readonly receiptSigner: ReceiptSigner }): RequestHandler =>
  async (request, response, next) => {
    if (request.path !== PATH) return next();
    (response.locals.trace as RequestTrace).route = `GET ${PATH}`;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
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
  };
