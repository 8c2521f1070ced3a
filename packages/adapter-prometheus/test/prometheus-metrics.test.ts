import { describe, expect, test } from '@jest/globals';
import type { MetricSources } from '@svc/application';
import { createPrometheusMetrics } from '../src/index.ts';

const SOURCES: MetricSources = {
  pools: () => [{ name: 'requests', max: 10, open: 4, idle: 3, waiting: 2 }],
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

async function samplesOf(sources: MetricSources): Promise<string[]> {
  const metrics = createPrometheusMetrics();
  metrics.watch(sources);
  metrics.requestCompleted({ route: 'GET /v1/claims', status: 200, seconds: 0.01 });
  metrics.requestCompleted({ route: 'GET /app/events', status: 'aborted', seconds: null });
  metrics.requestCompleted({
    route: 'POST /v1/claims',
    status: 503,
    seconds: 0.01,
    code: 'service_unavailable',
    unavailable: 'database_pool',
  });
  metrics.addressLimited();
  metrics.connectionAwaited(0.02);
  metrics.transactionCommitted(0.003, ['pending_acceptance', 'pending_acceptance']);
  metrics.groupFailed('rejected');
  metrics.jobEnded('notify_offer', 'retried');
  metrics.pushEnded('unauthorized');
  metrics.signInFailed('refused');
  metrics.webhookEnded('delivered');
  await metrics.text(); // counters that are read from elsewhere do not grow with each collection
  return (await metrics.text()).split('\n');
}

test('everything that happened and every source is in the text', async () => {
  expect(await samplesOf(SOURCES)).toEqual(
    expect.arrayContaining([
      'sign_in_failures_total{kind="refused"} 1',
      'http_requests_total{route="GET /v1/claims",status="200"} 1',
      'http_errors_total{route="POST /v1/claims",code="service_unavailable"} 1',
      'http_unavailable_total{reason="database_pool"} 1',
      'http_address_limited_total 1',
      'postgres_connection_wait_seconds_count 1',
      'postgres_commit_duration_seconds_count 1',
      'feed_changes_total{status="pending_acceptance"} 2',
      'postgres_groups_failed_total{reason="rejected"} 1',
      'jobs_total{kind="notify_offer",outcome="retried"} 1',
      'postgres_connections{pool="requests",state="used"} 1',
      'postgres_connections{pool="requests",state="idle"} 3',
      'postgres_connections_max{pool="requests"} 10',
      'postgres_connections_waiting{pool="requests"} 2',
      'job_queue_jobs{state="due"} 5',
      'job_queue_jobs{state="scheduled"} 3',
      'job_queue_jobs{state="running"} 2',
      'job_queue_jobs{state="failed"} 1',
      'job_queue_oldest_due_seconds 12.5',
      'push_total{outcome="unauthorized"} 1',
      'push_total{outcome="delivered"} 0',
      'offers_overdue 7',
      'postgres_standbys{synchronous="true"} 4',
      'postgres_standbys{synchronous="false"} 3',
      'postgres_synchronous_standbys_required 2',
      'clock_ahead_seconds -0.25',
      'http_request_duration_seconds_count{route="GET /v1/claims"} 1',
      'webhook_attempts_total{outcome="delivered"} 1',
      'postgres_replication_lag_seconds 0.25',
      'postgres_archive_failing 1',
      'postgres_archive_waiting_segments 6',
      'postgres_transaction_id_age{kind="transaction"} 1000',
      'postgres_transaction_id_age{kind="multixact"} 20',
      'webhook_endpoints{state="active"} 9',
      'webhook_endpoints{state="failing"} 2',
      'webhook_endpoints{state="paused"} 1',
      'dependency_up{dependency="database"} 1',
      'dependency_up{dependency="redis"} 0',
      'redis_errors_total{error="timeout"} 3',
      'redis_errors_total{error="failure"} 4',
      'redis_outages_total 1',
    ]),
  );
});

test('a stream counts as a request and has no duration', async () => {
  const lines = (await samplesOf(SOURCES)).filter((line) => line.includes('GET /app/events'));
  expect(lines).toEqual(['http_requests_total{route="GET /app/events",status="aborted"} 1']);
});

test('values that cannot be read are left out, and the others are still collected', async () => {
  const samples = await samplesOf({
    ...SOURCES,
    queue: () => Promise.reject(new Error('the database is down')),
    overdueOffers: () => Promise.reject(new Error('the database is down')),
    replication: async () => null,
    maintenance: async () => ({ archive: null, transactionIdAge: 1, multixactIdAge: 1 }),
    webhookEndpoints: () => Promise.reject(new Error('the database is down')),
    redis: () => null,
  });
  expect(
    samples.filter((line) =>
      /^(job_queue|offers|postgres_s|postgres_replication|postgres_archive|webhook_endpoints|redis)/.test(
        line,
      ),
    ),
  ).toEqual([]);
  expect(samples).toContain('dependency_up{dependency="database"} 1');
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
    const helped = new Set(lines.map((line) => /^# HELP (\S+) \S/.exec(line)?.[1]));
    expect(types.filter(([name]) => !helped.has(name))).toEqual([]);
  });
});
