import { type MetricSources, type Metrics, WEBHOOK_OUTCOMES } from '@svc/application';
import { DELIVERY_OUTCOMES } from '@svc/domain';
import client from 'prom-client';

export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  /** Adds what is read at each collection. */
  watch(sources: MetricSources): void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DATABASE_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** A collection does not wait longer for the database. */
const SOURCE_TIMEOUT_MS = 2000;
/** prom-client's own gauges that end in `_total`, which Prometheus reserves for counters. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Labels are route templates, codes and other short lists: few values, and no personal data. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new client.Registry();
  const registers = [registry];
  // Event-loop delay, memory, garbage collection, open handles.
  client.collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);

  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new client.Counter({ name, help, labelNames, registers });
  const requests = counter('http_requests_total', 'Requests with a response, by route and status.', [
    'route',
    'status',
  ]);
  const durations = new client.Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the first line of the request to the end of the response, without streams.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const errors = counter('http_errors_total', 'Error responses, by route and code.', ['route', 'code']);
  const unavailable = counter('http_unavailable_total', 'Responses with 503, by reason.', ['reason']);
  const limited = counter('http_address_limited_total', 'Requests over the limit of their IP address.');
  const waits = new client.Histogram({
    name: 'postgres_connection_wait_seconds',
    help: 'How long work waited for a connection of the pool.',
    buckets: DATABASE_SECONDS,
    registers,
  });
  const commits = new client.Histogram({
    name: 'postgres_commit_duration_seconds',
    help: 'How long COMMIT took, with the statement it was sent with.',
    buckets: DATABASE_SECONDS,
    registers,
  });
  const feedChanges = counter(
    'feed_changes_total',
    "Changes in firms' feeds, by the new status of the claim.",
    ['status'],
  );
  const failedGroups = counter(
    'postgres_groups_failed_total',
    'Transactions of several requests that were rolled back, by reason; each request ran again alone.',
    ['reason'],
  );
  const signIns = counter('sign_in_failures_total', 'Failed sign-ins, and codes not emailed, by kind.', [
    'kind',
  ]);
  const jobs = counter('jobs_total', 'Attempts at jobs, by kind and outcome.', ['kind', 'outcome']);

  const pushes = counter('push_total', 'Messages to devices, by what the push service answered.', [
    'outcome',
  ]);
  const webhooks = counter('webhook_attempts_total', "Attempts at firms' webhook endpoints, by outcome.", [
    'outcome',
  ]);
  // Prometheus cannot see the increase to the first value of a series.
  for (const outcome of DELIVERY_OUTCOMES) pushes.inc({ outcome }, 0);
  for (const outcome of WEBHOOK_OUTCOMES) webhooks.inc({ outcome }, 0);

  let readers: readonly Reader[] = [];

  return {
    contentType: registry.contentType,
    requestCompleted({ route, status, seconds, code, unavailable: reason }) {
      requests.inc({ route, status: String(status) });
      if (seconds !== null) durations.observe({ route }, seconds);
      if (code !== undefined) errors.inc({ route, code });
      if (reason !== undefined) unavailable.inc({ reason });
    },
    addressLimited: () => limited.inc(),
    connectionAwaited: (seconds) => waits.observe(seconds),
    transactionCommitted(seconds, changed) {
      commits.observe(seconds);
      for (const status of changed) feedChanges.inc({ status });
    },
    groupFailed: (reason) => failedGroups.inc({ reason }),
    signInFailed: (kind) => signIns.inc({ kind }),
    jobEnded: (kind, outcome) => jobs.inc({ kind, outcome }),
    pushEnded: (outcome) => pushes.inc({ outcome }),
    webhookEnded: (outcome) => webhooks.inc({ outcome }),
    watch(sources) {
      readers = readersOf(registry, sources);
    },
    async text() {
      await Promise.all(readers.map((read) => read()));
      return registry.metrics();
    },
  };
}

type Reader = () => Promise<void>;

/** Metrics that are read at each collection. Values that cannot be read are left out. */
function readersOf(registry: client.Registry, sources: MetricSources): Reader[] {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new client.Gauge({ name, help, labelNames, registers });

  const connections = gauge('postgres_connections', 'Open connections, by pool and state.', [
    'pool',
    'state',
  ]);
  const maxConnections = gauge('postgres_connections_max', 'The largest size of each pool.', ['pool']);
  const waiting = gauge('postgres_connections_waiting', 'Callers that wait for a connection.', ['pool']);
  const queued = gauge('job_queue_jobs', 'Jobs in the queue, by state.', ['state']);
  const oldest = gauge('job_queue_oldest_due_seconds', 'How long the oldest due job has waited.');
  const overdue = gauge('offers_overdue', 'Offers of live claims that wait longer than their firm does.');
  const standbys = gauge('postgres_standbys', 'Connected standbys, by whether commits wait for them.', [
    'synchronous',
  ]);
  const required = gauge(
    'postgres_synchronous_standbys_required',
    'How many standbys a commit waits for, as synchronous_standby_names says.',
  );
  const lag = gauge('postgres_replication_lag_seconds', 'How far the slowest standby is behind.');
  const clockAhead = gauge(
    'clock_ahead_seconds',
    'How far the clock of the process is ahead of that of the database; negative: behind.',
  );
  const archiveFailing = gauge(
    'postgres_archive_failing',
    'Whether the last attempt to archive WAL failed: 1 or 0. Absent without an archive.',
  );
  const unarchived = gauge('postgres_archive_waiting_segments', 'Segments of WAL that wait to be archived.');
  const idAge = gauge('postgres_transaction_id_age', 'Age of the oldest id that is not frozen, by kind.', [
    'kind',
  ]);
  const endpoints = gauge(
    'webhook_endpoints',
    "Firms' endpoints for live changes, by state; failing: no signal arrived for an hour.",
    ['state'],
  );
  const up = gauge(
    'dependency_up',
    'Whether the service can use it: 1 or 0. Redis is 0 while its breaker is open.',
    ['dependency'],
  );

  const readers: Reader[] = [
    async () => {
      for (const { name: pool, max, open, idle, waiting: count } of sources.pools()) {
        connections.set({ pool, state: 'idle' }, idle);
        connections.set({ pool, state: 'used' }, open - idle);
        maxConnections.set({ pool }, max);
        waiting.set({ pool }, count);
      }
    },
    async () => {
      const state = await inTime(sources.queue());
      queued.reset();
      oldest.remove();
      if (state === null) return;
      const { due, scheduled, running, failed, oldestDueSeconds } = state;
      for (const [name, count] of Object.entries({ due, scheduled, running, failed }))
        queued.set({ state: name }, count);
      oldest.set(oldestDueSeconds);
    },
    async () => {
      const offers = await inTime(sources.overdueOffers());
      if (offers === null) overdue.remove();
      else overdue.set(offers);
    },
    async () => {
      const state = await inTime(sources.replication());
      standbys.reset();
      required.remove();
      lag.remove();
      if (state === null) return;
      standbys.set({ synchronous: 'true' }, state.synchronousStandbys);
      standbys.set({ synchronous: 'false' }, state.standbys - state.synchronousStandbys);
      required.set(state.requiredSynchronousStandbys);
      if (state.maxLagSeconds !== null) lag.set(state.maxLagSeconds);
    },
    async () => clockAhead.set(sources.clockAheadSeconds()),
    async () => {
      const state = await inTime(sources.maintenance());
      archiveFailing.remove();
      unarchived.remove();
      idAge.reset();
      if (state === null) return;
      if (state.archive !== null) archiveFailing.set(state.archive.isFailing ? 1 : 0);
      if (state.archive?.waitingSegments != null) unarchived.set(state.archive.waitingSegments);
      idAge.set({ kind: 'transaction' }, state.transactionIdAge);
      idAge.set({ kind: 'multixact' }, state.multixactIdAge);
    },
    async () => {
      const counts = await inTime(sources.webhookEndpoints());
      endpoints.reset();
      if (counts === null) return;
      const { active, failing, paused } = counts;
      for (const [state, count] of Object.entries({ active, failing, paused }))
        endpoints.set({ state }, count);
    },
    async () => {
      const dependencies = (await inTime(sources.dependencies())) ?? [];
      up.reset();
      for (const { name, up: isUp } of dependencies) up.set({ dependency: name }, isUp ? 1 : 0);
    },
  ];
  if (sources.redis() === null) return readers;

  const redisErrors = new client.Counter({
    name: 'redis_errors_total',
    help: 'Commands that failed, by whether Redis replied in time.',
    labelNames: ['error'],
    registers,
  });
  const outages = new client.Counter({
    name: 'redis_outages_total',
    help: 'How often the breaker has opened.',
    registers,
  });
  return [
    ...readers,
    async () => {
      const { timeouts = 0, failures = 0, outages: count = 0 } = sources.redis() ?? {};
      redisErrors.reset();
      redisErrors.inc({ error: 'timeout' }, timeouts);
      redisErrors.inc({ error: 'failure' }, failures);
      outages.reset();
      outages.inc(count);
    },
  ];
}

/** Null when the source fails or does not respond in time. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, SOURCE_TIMEOUT_MS, null);
  });
  try {
    return await Promise.race([work.catch(() => null), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
