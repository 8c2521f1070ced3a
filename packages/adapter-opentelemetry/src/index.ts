import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { types } from 'node:util';
import {
  type Attributes,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ClaimWrites, Job, QueuedJob, Tx, UnitOfWork } from '@svc/application';
import { DomainError } from '@svc/domain';
import { createSampler, type Sampling } from './sampler.ts';

export type { Sampling, TracesSampler } from './sampler.ts';

/** Each queues the next one, so that a trace which they continue would never end. */
const REPEATED: ReadonlySet<Job['kind']> = new Set([
  'remind_deadlines',
  'remind_credentials',
  'mail_late_offers',
]);

interface TracingOptions {
  /** Without a slash at the end. Spans are sent to its path `/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly sampling: Sampling;
  readonly log: { warn(message: string, fields?: Record<string, unknown>): void };
}

interface EndedRequest {
  /** Method and path template, or a word for what has none. */
  readonly route: string;
  readonly status: number | 'aborted';
  /** The code of its problem document. */
  readonly code?: string | undefined;
}

/** Traces of requests, jobs and the calls of ports within them. Names and attributes hold no ids and no personal data. */
export interface Tracing {
  /** Calls `handle` in a span that continues the trace of the request's headers. `requestEnded` ends it. */
  request(
    request: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
    handle: () => void,
  ): void;
  requestEnded(request: EndedRequest): void;
  /** Keeps the current span for a listener of events. */
  bind<Listener extends () => void>(listener: Listener): Listener;
  /** Adds a span for each call within a request or a job. @param system what it calls, such as `postgresql`. */
  tracePort<Port extends object>(name: string, port: Port, system?: string): Port;
  /** Adds spans for transactions and for the calls of their stores. Jobs continue the trace of their cause; reminders start one. */
  unitOfWork(uow: UnitOfWork): UnitOfWork;
  /** Adds a span for each claim. Its jobs continue the trace. */
  claimWrites(claimWrites: ClaimWrites): ClaimWrites;
  jobs(run: (job: Job) => Promise<void>): (job: Job) => Promise<void>;
  /** Id of the current trace. */
  traceId(): string | undefined;
  /** Sends what is left; waits a short time at most. */
  stop(): Promise<void>;
}

const POSTGRESQL = 'postgresql';
const REPORT_INTERVAL_MS = 60_000;
/** Of one export, with its retries. */
const EXPORT_TIMEOUT_MS = 3000;
const STOP_TIMEOUT_MS = 2000;

const exporterTo = (endpoint: string): SpanExporter =>
  new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS });

/** Uses none of OpenTelemetry's global state, so that services in one process do not share a trace. */
export function startTracing(
  { endpoint, serviceName, sampling, log }: TracingOptions,
  exporter = exporterTo(endpoint),
): Tracing {
  const report = failureReporter(log);
  const provider = new TracerProvider({
    sampler: createSampler(sampling),
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [
      // Spans beyond its queue of 2,048 are dropped.
      new BatchSpanProcessor({ exporter: reportingFailures(exporter, report) }),
    ],
  });
  const tracer = provider.getTracer('claim-assignment-service');
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Span>();
  const contextOf = (span: Span) => trace.setSpan(ROOT_CONTEXT, span);

  /** Runs work in a span of the current trace, where that is recorded. */
  function inSpan<T>(name: string, system: string | undefined, work: () => T): T {
    const parent = current.getStore();
    if (parent === undefined || !parent.isRecording()) return work();
    const options =
      system === undefined
        ? { kind: SpanKind.INTERNAL }
        : { kind: SpanKind.CLIENT, attributes: { 'db.system.name': system } };
    return run(tracer.startSpan(name, options, contextOf(parent)), work);
  }

  /** Runs work in this span, and ends it with the work. */
  function run<T>(span: Span, work: () => T): T {
    return current.run(span, () => {
      let result: T;
      try {
        result = work();
      } catch (error) {
        fail(span, error);
        throw error;
      }
      if (!types.isPromise(result)) {
        span.end();
        return result;
      }
      return result.then(
        (value) => {
          span.end();
          return value;
        },
        (error) => {
          fail(span, error);
          throw error;
        },
      ) as T;
    });
  }

  const tracePort = <Port extends object>(name: string, target: Port, system?: string): Port =>
    withMethods(
      target,
      (method, call) =>
        (...args) =>
          inSpan(`${name}.${method}`, system, () => call(...args)),
    );

  /** The trace of a job's cause, in the job's payload. */
  function withTrace(job: Job, span = current.getStore()): Job {
    if (span === undefined || !span.isRecording()) return job;
    const carrier: { traceparent?: string } = {};
    propagator.inject(contextOf(span), carrier, defaultTextMapSetter);
    return Object.assign({}, job, carrier);
  }

  function tracedTx(tx: Tx): Tx {
    const stores = Object.fromEntries(
      // The audit trail is kept in memory until the commit.
      Object.entries(tx).map(([name, store]) => [
        name,
        tracePort(name, store as object, name === 'audit' ? undefined : POSTGRESQL),
      ]),
    ) as unknown as Tx;
    const { outbox } = stores;
    return {
      ...stores,
      outbox: {
        add: (job, runAt) => outbox.add(REPEATED.has(job.kind) ? job : withTrace(job), runAt),
      },
    };
  }

  return {
    request({ method = 'HTTP', headers }, handle) {
      // Without `tracestate`, whose text would be exported.
      const { traceparent } = headers;
      const context = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
      const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } };
      current.run(tracer.startSpan(method, options, context), handle);
    },

    requestEnded({ route, status, code }) {
      const span = current.getStore();
      if (span === undefined || !span.isRecording()) return;
      const attributes: Attributes = {};
      const template = /^[A-Z]+ (\/.*)$/.exec(route)?.[1];
      if (template !== undefined) {
        span.updateName(route);
        attributes['http.route'] = template;
      }
      if (code !== undefined) attributes['problem.code'] = code;
      if (status !== 'aborted') attributes['http.response.status_code'] = status;
      if (status === 'aborted' || status >= 500) {
        attributes['error.type'] = String(code ?? status);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.setAttributes(attributes);
      span.end();
    },

    bind: (listener) => AsyncLocalStorage.bind(listener),

    tracePort,

    unitOfWork: (uow) => ({
      run: (work) =>
        inSpan('unitOfWork.run', POSTGRESQL, () =>
          uow.run((tx) => work(current.getStore()?.isRecording() ? tracedTx(tx) : tx)),
        ),
    }),

    claimWrites(claimWrites) {
      const traced = <Facts, Change extends { readonly jobs: readonly QueuedJob[] }>(
        decide: (facts: Facts) => Change,
      ) => {
        // The decision may be called from that of another request.
        const span = current.getStore();
        return (facts: Facts): Change => {
          const decided = decide(facts);
          const jobs = decided.jobs.map((queued) => ({ ...queued, job: withTrace(queued.job, span) }));
          return { ...decided, jobs };
        };
      };
      const inWrite = <T>(name: string, write: () => T): T =>
        inSpan(`claimWrites.${name}`, POSTGRESQL, write);
      return {
        send: (request, decide) => inWrite('send', () => claimWrites.send(request, traced(decide))),
        offer: (request, decide) => inWrite('offer', () => claimWrites.offer(request, traced(decide))),
        respond: (svcId, id, decide) => inWrite('respond', () => claimWrites.respond(svcId, id, decide)),
      };
    },

    jobs: (handle) => (job) => {
      const context = propagator.extract(ROOT_CONTEXT, job, defaultTextMapGetter);
      const attributes = {
        'messaging.system': 'postgresql',
        'messaging.operation.type': 'process',
        'messaging.destination.name': job.kind,
      };
      const span = tracer.startSpan(`process ${job.kind}`, { kind: SpanKind.CONSUMER, attributes }, context);
      return run(span, () => handle(job));
    },

    traceId: () => current.getStore()?.spanContext().traceId,

    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          report('timeout');
          resolve();
        }, STOP_TIMEOUT_MS);
      });
      // A failed export was reported.
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
      clearTimeout(timer);
    },
  };
}

/** The kind of error only: a message may quote a row. A broken rule of the domain is a result, not a failure. */
function fail(span: Span, error: unknown): void {
  const { code, name } = Object(error);
  span.setAttribute('error.type', String(typeof code === 'string' ? code : name));
  if (!(error instanceof DomainError)) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

type Method = (...args: unknown[]) => unknown;

/** An object whose methods are replaced when they are first used. */
function withMethods<T extends object>(target: T, replace: (name: string, call: Method) => Method): T {
  const replaced = new Map<string | symbol, Method>();
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      let method = replaced.get(name);
      if (method === undefined) {
        method = replace(String(name), value.bind(target));
        replaced.set(name, method);
      }
      return method;
    },
  });
}

/** Logs why traces are missing, once a minute at most: requests go on without them. */
function failureReporter(log: TracingOptions['log']): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    log.warn('traces could not be exported', { error });
  };
}

const reportingFailures = (exporter: SpanExporter, report: (error: unknown) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      const { code, name } = (result.error ?? {}) as NodeJS.ErrnoException;
      if (result.code === ExportResultCode.FAILED) report(code ?? name);
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});
