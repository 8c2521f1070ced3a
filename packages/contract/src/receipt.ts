import type { z } from 'zod';
import { responseField } from './fields.ts';
import { responseObject } from './response-schema.ts';

export const EXAMPLE_RECEIPT =
  'eyJhbGciOiJFZERTQSIsImtpZCI6IjBfZXhhbXBsZSJ9.eyJjbGFpbV9pZCI6IjBiOWY2YTUyLTNjMGUtNGE1My04ZjU3LTJmMWY3YTNjOWQxMCJ9.c2lnbmF0dXJl';

export const receiptSchema = responseObject({
  receipt: responseField.text(
    'A JSON Web Signature in compact form (EdDSA with Ed25519). Its `kid` is one of `/.well-known/jwks.json`.',
    EXAMPLE_RECEIPT,
  ),
}).meta({
  id: 'Receipt',
  description:
    'A signed record of an offer of a claim: adjuster, times, pushes, response and the row of the audit trail.',
});
export type Receipt = z.output<typeof receiptSchema>;
