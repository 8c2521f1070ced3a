// Jest's order, with the slowest files first even when no earlier run has recorded their times.
import Sequencer from '@jest/test-sequencer';

const LONGEST = [
  'apps/api/test/adjuster-loop',
  'apps/api/test/crash-points',
  'packages/embedded-postgres/test/embedded',
  'apps/api/test/docs-browser',
  'apps/claims/test/service',
  'apps/api/test/faults-',
  'apps/api/test/process',
  'apps/api/test/docs-quick-start',
  'packages/client/test/service',
  'packages/client/test/packages',
  'apps/api/test/chaos-run',
  'packages/adapter-postgres/test/stores-suite',
  'packages/adapter-redis/test/outage',
  'apps/claims/test/readme',
  'apps/api/test/adjuster-session',
  'apps/docs/test/quick-starts',
  'packages/adapter-postgres/test/jobs',
  'apps/api/test/openapi-tools',
  'apps/api/test/svc-commands',
  'apps/api/test/pooler-service',
  'apps/api/test/tls',
  'apps/api/test/database-access',
  'apps/api/test/push-delivery',
  'tools/services/services',
  'packages/adapter-postgres/test/encryption',
  'packages/adapter-postgres/test/migrate',
  'packages/adapter-postgres/test/outage',
  'packages/adapter-postgres/test/unit-of-work',
  'apps/api/test/hostile-',
  'apps/api/test/limits-',
  'apps/api/test/fuzz-contract',
  'apps/api/test/firm-',
  'apps/api/test/app-',
];

const rank = ({ path }) => {
  const found = LONGEST.findIndex((part) => path.replaceAll('\\', '/').includes(part));
  return found === -1 ? LONGEST.length : found;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}
