// Jest's order, with the slowest files first even when no earlier run has recorded their times.
import Sequencer from '@jest/test-sequencer';

const LONGEST = [
  'apps/api/test/adjuster-loop',
  'apps/api/test/docs-browser',
  'packages/embedded-postgres/test/embedded',
  'apps/claims/test/service',
  'apps/api/test/crash-points',
  'apps/api/test/faults-',
  'apps/api/test/process',
  'apps/api/test/chaos-run',
  'packages/client/test/service',
  'packages/client/test/packages',
  'apps/api/test/adjuster-session',
  'packages/adapter-redis/test/outage',
  'apps/api/test/svc-',
  'apps/claims/test/readme',
  'apps/api/test/firm-listing',
  'apps/api/test/hostile-',
  'packages/adapter-postgres/test/jobs',
  'apps/api/test/push-delivery',
  'apps/api/test/limits-edge',
  'apps/api/test/pooler-service',
  'tools/openfema/import-claims',
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
