// For tools that write rows directly, a million at a time, in the format of the service.

export { asciiJson } from './http/serialization/ascii-json.ts';
