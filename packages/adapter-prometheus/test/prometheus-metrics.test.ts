import { describe, expect, jest, test } from '@jest/globals';
import type { MaintenanceState, MetricSources } from '@svc/application';
import { createPrometheusMetrics } from '../src/index.ts';

const SOURCES: MetricSources = {
  pools: () => [
    { name: 'requests', max: 10, open: 4, idle: 3, waiting: 2 },
    { name: 'jobs', max: 6, open: 5, idle: 1, waiting: 0 },
  ],
  queue: async () => ({ due: 5, scheduled: 3, running: 2, failed: 1, oldestDueSeconds: 12.5 }),
  overdueOffers: async () => 7,
  replication: async () => ({
    standbys: 7,
    synchronousStandbys: 4,
    requiredSynchronousStandbys: 2,
    maxLagSeconds: 0.25,
  }),
  maintenance: async () => ({
    archive: { isFailing: true, waitingSegments: 6 },
    transactionIdAge: 1000,
    multixactIdAge: 20,
  }),
  webhookEndpoints: async () => ({ active: 9, failing: 2, paused: 1 }),
  dependencies: async () => [
    { name: 'database', up: true },
    { name: 'redis', up: false },
  ],
  clockAheadSeconds: () => -0.25,
  redis: () => ({ timeouts: 3, failures: 4, outages: 1 }),
};

/** @param earlier what the collection before this one has read. */
async function samplesOf(sources: MetricSources, earlier = sources): Promise<string[]> {
  const metrics = createPrometheusMetrics();
  let current = earlier;
  // Those of the collection, whichever they were at the start.
  metrics.watch(new Proxy(sources, { get: (_, name: keyof MetricSources) => current[name] }));
  metrics.requestCompleted({ route: 'GET /v1/claims', status: 200, seconds: 0.01 });
  metrics.requestCompleted({ route: 'GET /app/events', status: 'aborted', seconds: null });
  metrics.requestCompleted({
    route: 'POST /v1/claims',
    status: 503,
    seconds: 0.02,
    code: 'service_unavailable',
    unavailable: 'database_pool',
  });
  metrics.addressLimited();
  metrics.connectionAwaited(0.02);
  metrics.transactionCommitted(0.003, ['pending_acceptance', 'accepted', 'pending_acceptance']);
  metrics.groupFailed('rejected');
  metrics.jobEnded('notify_offer', 'retried');
  metrics.pushEnded('unauthorized');
  metrics.signInFailed('refused');
  metrics.webhookEnded('delivered');
  await metrics.text(); // counters that are read from elsewhere do not grow with each collection
  current = sources;
  return (await metrics.text()).split('\n');
}

test('everything that happened and every source is in the text, and nothing else', async () => {
  const lines = (await samplesOf(SOURCES)).filter((line) => !/^(process|nodejs)_|^#|^$|_bucket/.test(line));
  expect(lines.toSorted()).toEqual([
    'clock_ahead_seconds -0.25',
    'dependency_up{dependency="database"} 1',
    'dependency_up{dependency="redis"} 0',
    'feed_changes_total{status="accepted"} 1',
    'feed_changes_total{status="pending_acceptance"} 2',
    'http_address_limited_total 1',
    'http_errors_total{route="POST /v1/claims",code="service_unavailable"} 1',
    'http_request_duration_seconds_count{route="GET /v1/claims"} 1',
    'http_request_duration_seconds_count{route="POST /v1/claims"} 1',
    'http_request_duration_seconds_sum{route="GET /v1/claims"} 0.01',
    'http_request_duration_seconds_sum{route="POST /v1/claims"} 0.02',
    'http_requests_total{route="GET /app/events",status="aborted"} 1',
    'http_requests_total{route="GET /v1/claims",status="200"} 1',
    'http_requests_total{route="POST /v1/claims",status="503"} 1',
    'http_unavailable_total{reason="database_pool"} 1',
    'job_queue_jobs{state="due"} 5',
    'job_queue_jobs{state="failed"} 1',
    'job_queue_jobs{state="running"} 2',
    'job_queue_jobs{state="scheduled"} 3',
    'job_queue_oldest_due_seconds 12.5',
    'jobs_total{kind="notify_offer",outcome="retried"} 1',
    'offers_overdue 7',
    'postgres_archive_failing 1',
    'postgres_archive_waiting_segments 6',
    'postgres_commit_duration_seconds_count 1',
    'postgres_commit_duration_seconds_sum 0.003',
    'postgres_connection_wait_seconds_count 1',
    'postgres_connection_wait_seconds_sum 0.02',
    'postgres_connections_max{pool="jobs"} 6',
    'postgres_connections_max{pool="requests"} 10',
    'postgres_connections_waiting{pool="jobs"} 0',
    'postgres_connections_waiting{pool="requests"} 2',
    'postgres_connections{pool="jobs",state="idle"} 1',
    'postgres_connections{pool="jobs",state="used"} 4',
    'postgres_connections{pool="requests",state="idle"} 3',
    'postgres_connections{pool="requests",state="used"} 1',
    'postgres_groups_failed_total{reason="rejected"} 1',
    'postgres_replication_lag_seconds 0.25',
    'postgres_standbys{synchronous="false"} 3',
    'postgres_standbys{synchronous="true"} 4',
    'postgres_synchronous_standbys_required 2',
    'postgres_transaction_id_age{kind="multixact"} 20',
    'postgres_transaction_id_age{kind="transaction"} 1000',
    'push_total{outcome="delivered"} 0',
    'push_total{outcome="gone"} 0',
    'push_total{outcome="rejected"} 0',
    'push_total{outcome="retried"} 0',
    'push_total{outcome="unauthorized"} 1',
    'redis_errors_total{error="failure"} 4',
    'redis_errors_total{error="timeout"} 3',
    'redis_outages_total 1',
    'sign_in_failures_total{kind="refused"} 1',
    'webhook_attempts_total{outcome="delivered"} 1',
    'webhook_attempts_total{outcome="failed"} 0',
    'webhook_attempts_total{outcome="gone"} 0',
    'webhook_attempts_total{outcome="retried"} 0',
    'webhook_endpoints{state="active"} 9',
    'webhook_endpoints{state="failing"} 2',
    'webhook_endpoints{state="paused"} 1',
  ]);
});

test('durations are in buckets from the fastest to the longest', async () => {
  const bucketsOf = (name: string) => (lines: readonly string[]) =>
    lines.flatMap((line) =>
      line.startsWith(`${name}_bucket{le="`) ? (line.split('"')[1]?.concat(line.slice(-2)) ?? []) : [],
    );
  const lines = (await samplesOf(SOURCES)).filter((line) => !line.includes('POST /v1/claims'));
  const counted = (bounds: string, from: number) =>
    bounds.split(' ').map((le, n) => `${le} ${n < from ? 0 : 1}`);
  const database = '0.001 0.002 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 +Inf';
  expect(bucketsOf('http_request_duration_seconds')(lines)).toEqual(
    counted('0.002 0.005 0.01 0.02 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf', 2),
  );
  expect(bucketsOf('postgres_connection_wait_seconds')(lines)).toEqual(counted(database, 4));
  expect(bucketsOf('postgres_commit_duration_seconds')(lines)).toEqual(counted(database, 2));
});

const isDown = () => Promise.reject(new Error('the database is down'));

test.each([
  ['from the start', undefined],
  ['after they were read', SOURCES],
])('values that cannot be read %s are left out, and the others are still collected', async (_, earlier) => {
  jest.useFakeTimers();
  const never = () => new Promise<never>(() => {});
  const archive = { isFailing: false, waitingSegments: null };
  const lost = {
    ...{ queue: isDown, overdueOffers: never, replication: async () => null, webhookEndpoints: isDown },
    maintenance: async () => ({ archive, transactionIdAge: 1, multixactIdAge: 1 }),
    dependencies: async () => [{ name: 'database', up: true }],
  };
  const collected = samplesOf({ ...SOURCES, ...lost }, earlier);
  // Two collections of two seconds each.
  await jest.advanceTimersByTimeAsync(4000);
  jest.useRealTimers();
  const left =
    /^(job_queue|offers|postgres_s|postgres_replication|postgres_archive|webhook_endpoints|dependency_up)/;
  expect((await collected).filter((line) => left.test(line))).toEqual([
    ...['postgres_archive_failing 0', 'dependency_up{dependency="database"} 1'],
  ]);
  const unread = { ...SOURCES, maintenance: isDown, dependencies: isDown, redis: () => null };
  const ofUnread = /^(postgres_transaction|postgres_archive|dependency_up)/;
  expect((await samplesOf(unread, earlier)).filter((line) => ofUnread.test(line))).toEqual([]);
});

test('without Redis, an archive and standbys there are no metrics of them; what is zero is one', async () => {
  let archive: MaintenanceState['archive'] = null;
  const maintenance = async () => ({ archive, transactionIdAge: 1, multixactIdAge: 1 });
  const none = { standbys: 0, synchronousStandbys: 0, requiredSynchronousStandbys: 0, maxLagSeconds: null };
  const without = { ...SOURCES, maintenance, replication: async () => none, redis: () => null };
  const samples = await samplesOf(without);
  const optional = /^(redis|postgres_(archive|replication))_/;
  expect(samples.filter((line) => optional.test(line))).toEqual([]);
  archive = { isFailing: false, waitingSegments: 0 };
  const zero = { ...without, replication: async () => ({ ...none, maxLagSeconds: 0 }) };
  expect((await samplesOf(zero)).filter((line) => optional.test(line))).toEqual([
    ...['postgres_replication_lag_seconds 0', 'postgres_archive_failing 0'],
    'postgres_archive_waiting_segments 0',
  ]);
});

describe('names follow the conventions of Prometheus', () => {
  const typesOf = async (): Promise<[name: string, type: string][]> =>
    (await samplesOf(SOURCES))
      .map((line) => /^# TYPE (\S+) (\S+)$/.exec(line))
      .flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? '']]));

  test('counters, and nothing else, end in _total', async () => {
    const wrong = (await typesOf()).filter(
      ([name, type]) => name.endsWith('_total') !== (type === 'counter'),
    );
    expect(wrong).toEqual([]);
  });

  test('units are seconds and bytes, and every metric has a help text', async () => {
    const lines = await samplesOf(SOURCES);
    const types = await typesOf();
    expect(types.filter(([name]) => /_(ms|milliseconds|kilobytes|percent)(_|$)/.test(name))).toEqual([]);
    expect(types).toContainEqual(['process_resident_memory_bytes', 'gauge']);
    expect(createPrometheusMetrics().contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const helped = new Set(lines.map((line) => /^# HELP (\S+) \S/.exec(line)?.[1]));
    expect(types.filter(([name]) => !helped.has(name))).toEqual([]);
  });
});
