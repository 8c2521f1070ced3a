export { createPasskeyVerifier } from './passkey-verifier.ts';
export { createReceiptKey, createReceiptSigner } from './receipt-signer.ts';
export { createSecrets, sha256 } from './secrets.ts';
export { createSignInMonitor } from './sign-in-monitor.ts';
