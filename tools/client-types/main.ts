// `pnpm client-types`: writes the types of the SDK.
import { writeFileSync } from 'node:fs';
import { CLIENT_TYPES_FILE, formattedClientTypes } from './file.ts';

writeFileSync(CLIENT_TYPES_FILE, formattedClientTypes());
