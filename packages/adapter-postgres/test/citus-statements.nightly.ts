import { CITUS_BEHAVIORS, storesSuite } from '@svc/testkit';
import { storesWith } from './stores-under-test.ts';

/** As the extension describes distributed tables. */
const DISTRIBUTED = `CREATE TABLE pg_dist_partition AS SELECT 'claims'::regclass AS logicalrelid, 'h' AS partmethod`;
// On one server, the statements for Citus find and change the same.
storesSuite('PostgreSQL with statements for Citus', storesWith(null, DISTRIBUTED), CITUS_BEHAVIORS);
