export { createPasskeyVerifier } from './passkey-verifier.ts';
export { createSecrets, sha256 } from './secrets.ts';
export { createSignInMonitor } from './sign-in-monitor.ts';
