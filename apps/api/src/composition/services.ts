import type { EdgeLimiter, ExternalPorts, Stores } from '@svc/application';
import type { DocsAddresses } from '../http/docs/files.ts';
import type { ConcurrencyLimit } from '../http/limits/concurrency-limit.ts';
import type { StreamLimit } from '../http/limits/stream-limit.ts';
import type { SessionLimiter } from '../http/pipeline/request-pipeline.ts';
import type { Observe, RequestTracing } from '../http/request-log.ts';
import type { Cursors } from '../http/serialization/cursor.ts';
import type { StatusMonitor } from '../http/status/status.ts';
import type { Log } from '../logging.ts';

/** What exists before the container: connected, configured or generated outside. */
export interface ExternalServices extends Stores, ExternalPorts {
  readonly log: Log;
  readonly addresses: DocsAddresses;
  readonly trustProxy: boolean | number | string;
  readonly isDraining: () => boolean;
  readonly observe: Observe;
  readonly tracing: RequestTracing | null;
  readonly status: StatusMonitor;
  readonly readLimit: ConcurrencyLimit;
  readonly writeLimit: ConcurrencyLimit;
  readonly streamLimit: StreamLimit;
  readonly checkHealth: () => Promise<void>;
  readonly pushKey: () => string;
  readonly cursors: Cursors;
  readonly sessionLimiter: SessionLimiter;
  readonly edgeLimiter: EdgeLimiter;
}

/** Those that services get: for transactions they have `uow`. */
export type Ports = Omit<ExternalServices, 'unitOfWork'>;
