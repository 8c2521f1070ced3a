import { readFileSync } from 'node:fs';

/** The package.json is next to the folder of this file as source, as build and as bundle. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
