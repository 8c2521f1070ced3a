// Jest's order, with the slowest files first even when no earlier run has recorded their times.
import Sequencer from '@jest/test-sequencer';

const LONGEST = [
  'apps/adjuster/test/claim',
  'apps/adjuster/test/outbox',
  'apps/adjuster/test/answering',
  'apps/adjuster/test/accessibility',
  'apps/adjuster/test/settings',
  'apps/adjuster/test/sign-in',
  'apps/adjuster/test/offers',
  'apps/adjuster/test/notifications',
  'packages/embedded-postgres/test/embedded',
  'apps/api/test/docs-browser',
  'apps/api/test/crash-points',
  'apps/api/test/svc-database',
  'packages/adapter-postgres/test/stores-suite',
  'apps/api/test/faults-',
  'apps/api/test/process',
  'apps/claims/test/service',
  'apps/adjuster/test/browser-session',
  'apps/api/test/docs-quick-start',
  'apps/api/test/svc-commands',
  'apps/adjuster/test/storage',
  'packages/adapter-postgres/test/jobs',
  'packages/client/test/packages',
  'apps/claims/test/readme',
  'packages/adapter-postgres/test/encryption',
  'apps/api/test/chaos-run',
  'packages/client/test/service',
  'apps/api/test/push-delivery',
  'packages/adapter-postgres/test/migrate',
  'tools/services/services',
  'apps/docs/test/quick-starts',
  'packages/adapter-postgres/test/outage',
  'apps/api/test/tls',
  'apps/api/test/pooler-service',
  'packages/adapter-redis/test/outage',
  'apps/api/test/database-access',
  'packages/adapter-postgres/test/plans',
  'apps/api/test/hostile-',
  'apps/api/test/limits-',
  'apps/api/test/openapi-tools',
  'packages/adapter-postgres/test/unit-of-work',
  'tools/services/jest-runner',
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
