// Jest's order, with the slowest files first even when no earlier run has recorded their times. Those that mostly wait are
// between those that need the processor.
import Sequencer from '@jest/test-sequencer';

const LONGEST = [
  'packages/embedded-postgres/test/embedded',
  'packages/adapter-postgres/test/stores-suite',
  'apps/adjuster/test/answering',
  'apps/claims/test/service',
  'apps/api/test/docs-browser',
  'apps/adjuster/test/claim',
  'apps/adjuster/test/outbox.e2e',
  'apps/api/test/crash-points',
  'apps/adjuster/test/browser-session',
  'apps/api/test/svc-commands',
  'apps/adjuster/test/settings',
  'apps/api/test/svc-database',
  'apps/adjuster/test/offers',
  'apps/desk/test/developer',
  'apps/desk/test/dispatcher',
  'apps/adjuster/test/sign-in',
  'apps/api/test/faults-',
  'apps/api/test/process-',
  'apps/api/test/docs-quick-start',
  'packages/adapter-postgres/test/encryption',
  'apps/api/test/processes-',
  'packages/adapter-postgres/test/jobs',
  'apps/adjuster/test/accessibility',
  'apps/api/test/chaos-run',
  'packages/adapter-postgres/test/migrate',
  'apps/api/test/limits',
  'apps/api/test/stores-agree',
  'packages/adapter-memory/test/stores',
  'packages/adapter-postgres/test/outage',
  'tools/services/services',
  'packages/adapter-postgres/test/plans',
  'apps/api/test/tls',
  'packages/adapter-redis/test/outage',
  'apps/api/test/hostile-',
  'apps/api/test/database-',
  'apps/api/test/fuzz-contract',
  'packages/adapter-postgres/test/unit-of-work',
  'apps/api/test/data-at-rest',
  'apps/adjuster/test/notifications',
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
