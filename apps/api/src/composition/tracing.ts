import type { Tracing } from '@svc/adapter-opentelemetry';
import type { ClaimWrites, UnitOfWork } from '@svc/application';
import type { Config } from '../config.ts';
import type { Log } from '../logging.ts';
import type { ExternalServices } from './services.ts';

export type { Tracing };

/** Loads the packages of OpenTelemetry, which nothing else needs. */
export async function startTracing(config: NonNullable<Config['tracing']>, log: Log): Promise<Tracing> {
  const adapter = await import('@svc/adapter-opentelemetry');
  return adapter.startTracing({ ...config, log });
}

const ON_POSTGRESQL = [
  'firmReads',
  'accountReads',
  'appReads',
  'boardReads',
  'jobReads',
  'credentials',
  'faults',
] as const;
const ON_REDIS = ['rateLimiter', 'usedKeys'] as const;
const IN_PROCESS = ['rateLimiter'] as const;
const ELSEWHERE = ['notifier', 'mailer'] as const;

/** The ports that requests and jobs call, with a span for each call. */
export function tracedPorts(
  tracing: Tracing,
  services: ExternalServices,
  withRedis: boolean,
): Partial<ExternalServices> {
  const traced = (names: readonly (keyof ExternalServices)[], system?: string) =>
    names.map((name) => [name, tracing.tracePort(name, services[name] as object, system)]);
  return {
    ...Object.fromEntries([
      ...traced(ON_POSTGRESQL, 'postgresql'),
      ...(withRedis ? traced(ON_REDIS, 'redis') : traced(IN_PROCESS)),
      ...traced(ELSEWHERE),
    ]),
    unitOfWork: tracing.unitOfWork(services.unitOfWork as UnitOfWork),
    claimWrites: tracing.claimWrites(services.claimWrites as ClaimWrites),
  };
}

/** A log whose lines have the id of the trace in which they are written. */
export function tracedLog(log: Log, tracing: Tracing): Log {
  const traced =
    (write: Log['info']): Log['info'] =>
    (message, fields) => {
      const traceId = tracing.traceId();
      write(message, traceId === undefined ? fields : { ...fields, trace_id: traceId });
    };
  return {
    error: traced(log.error),
    warn: traced(log.warn),
    info: traced(log.info),
    debug: traced(log.debug),
  };
}
