// Jest's order, with the slowest files first even when no earlier run has recorded their times. Those that mostly wait are
// between those that need the processor.
import Sequencer from '@jest/test-sequencer';

const LONGEST = [
  'packages/adapter-postgres/test/stores-suite',
  'packages/embedded-postgres/test/embedded',
  'apps/api/test/crash-points',
  'apps/adjuster/test/answering',
  'apps/claims/test/service',
  'packages/adapter-postgres/test/encryption',
  'apps/api/test/docs-browser',
  'apps/adjuster/test/accessibility',
  'apps/desk/test/roles',
  'apps/desk/test/developer',
  'apps/desk/test/dispatcher',
  'apps/adjuster/test/outbox.e2e',
  'apps/api/test/faults-',
  'apps/api/test/process-',
  'apps/adjuster/test/offers',
  'apps/api/test/chaos-run',
  'packages/adapter-postgres/test/migrate',
  'apps/api/test/stores-agree',
  'apps/api/test/processes-',
  'apps/adjuster/test/claim',
  'apps/api/test/outgoing-connections',
  'apps/adjuster/test/sign-in',
  'apps/api/test/svc-database',
  'apps/api/test/docs-quick-start',
  'apps/adjuster/test/browser-session',
  'apps/adjuster/test/notifications',
  'packages/adapter-memory/test/stores',
  'apps/adjuster/test/screens',
  'apps/desk/test/screens',
  'apps/api/test/tls',
  'apps/api/test/model-walks',
  'apps/api/test/data-at-rest',
  'packages/adapter-postgres/test/outage',
  'apps/api/test/svc-commands',
  'apps/api/test/app.e2e',
  'packages/adapter-redis/test/outage',
  'packages/adapter-postgres/test/pooler',
  'packages/csv-import/test/workbook',
  'packages/adapter-postgres/test/plans',
  'apps/api/test/hostile-',
  'apps/api/test/database-',
  'tools/services/services',
  'apps/api/test/limits',
  'apps/api/test/fuzz-contract',
  'packages/adapter-postgres/test/jobs',
  'packages/adapter-postgres/test/unit-of-work',
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
