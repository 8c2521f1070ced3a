import { randomBytes } from 'node:crypto';
import {
  CITUS_CLAIM_BEHAVIORS,
  DESK_BEHAVIORS,
  OTHER_BEHAVIORS,
  PERSONAL_DATA_BEHAVIORS,
  storesSuite,
} from '@svc/testkit';
import { DISTRIBUTED, storesWith } from './stores-under-test.ts';

const key = randomBytes(32);

// Whether values are encrypted is decided in `Encryption` alone, which its own tests and all of HTTP use without a key.
storesSuite('PostgreSQL', storesWith(null), OTHER_BEHAVIORS);
const keys = { variable: 'ENCRYPTION_KEY', read: () => [key] };
storesSuite('PostgreSQL with encryption', storesWith(keys), [...PERSONAL_DATA_BEHAVIORS, ...DESK_BEHAVIORS]);
// On one server, the statements for Citus find and change the same. Every night, with all behaviors.
storesSuite('PostgreSQL with statements for Citus', storesWith(null, DISTRIBUTED), CITUS_CLAIM_BEHAVIORS);
