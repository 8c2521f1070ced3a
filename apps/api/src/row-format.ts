// For tools that write rows past the service, a million at a time, and have to write them as it does.

export { createSecrets } from './composition/secrets.ts';
export { asciiJson } from './http/serialization/ascii-json.ts';
