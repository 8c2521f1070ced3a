import { CITUS_BEHAVIORS, storesSuite } from '@svc/testkit';
import { DISTRIBUTED, storesWith } from './stores-under-test.ts';

// On one server, the statements for Citus find and change the same.
storesSuite('PostgreSQL with statements for Citus', storesWith(null, DISTRIBUTED), CITUS_BEHAVIORS);
