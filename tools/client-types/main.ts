// `pnpm prepare`: writes the types of the SDK, which git does not have. Installing, `build`, `types` and `test` do it first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CLIENT_TYPES_FILE, clientTypes } from './types.ts';

const types = clientTypes();
// Programs that watch sources notice only a change.
if (!existsSync(CLIENT_TYPES_FILE) || readFileSync(CLIENT_TYPES_FILE, 'utf8') !== types)
  writeFileSync(CLIENT_TYPES_FILE, types);
