// For tools that write rows past the service, a million at a time, and have to write them as it does.
export { asciiJson } from './http/wire/ascii-json.ts';
export { createSecrets } from './secrets.ts';
export { createUuidV7 } from './uuid-v7.ts';
