import { ROOT } from './api.ts';

interface EventStream {
  /** Does nothing when it is open already. */
  open(): void;
  close(): void;
  /** Whether anything was received lately: browsers report a dead connection late or never. */
  isAlive(): boolean;
}

interface Handlers {
  /** The lists have changed; the text identifies their current revision. */
  changed(revision: string): void;
  signedOut(): void;
  /** `closed`: the service refused the connection, so that the browser does not try again. */
  lost(closed: boolean): void;
  opened(): void;
}

type Message =
  | { readonly kind: 'revision'; readonly revision: string }
  | { readonly kind: 'alive' }
  | { readonly kind: 'revision?' };

const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;
/** The service sends an event at least every 20 seconds. */
const TIMEOUT_MS = 50_000;

/**
 * Receives the service's events. Browsers allow six connections to a host, so one tab has the connection and passes
 * events on to the others; when it is closed, another tab takes over.
 */
export function createEventStream(handlers: Handlers): EventStream {
  const channel = new BroadcastChannel('live');
  let aborter: AbortController | undefined;
  let source: EventSource | undefined;
  let lastReceivedAt = 0;
  let revision: string | undefined;
  let retryMs = FIRST_RETRY_MS;

  const broadcast = (message: Message): void => channel.postMessage(message);
  const changed = (next: string): void => {
    lastReceivedAt = Date.now();
    revision = next;
    handlers.changed(next);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (aborter === undefined) return;
    if (data.kind === 'revision?') {
      if (isConnected() && revision !== undefined) broadcast({ kind: 'revision', revision });
    } else if (data.kind === 'revision') changed(data.revision);
    else lastReceivedAt = Date.now();
  });

  const isConnected = (): boolean => source?.readyState === EventSource.OPEN;

  const connect = (signal: AbortSignal): void => {
    if (signal.aborted) return;
    const current = new EventSource(`${ROOT}events`);
    source = current;
    const alive = (): void => {
      lastReceivedAt = Date.now();
      broadcast({ kind: 'alive' });
    };
    current.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS;
      alive();
      handlers.opened();
    });
    current.addEventListener('here', alive);
    current.addEventListener('changed', (event) => {
      const next = (event as MessageEvent).lastEventId;
      changed(next);
      broadcast({ kind: 'revision', revision: next });
    });
    current.addEventListener('signed-out', () => handlers.signedOut());
    current.addEventListener('error', () => {
      if (source !== current) return;
      const closed = current.readyState === EventSource.CLOSED;
      handlers.lost(closed);
      if (!closed) return;
      setTimeout(() => connect(signal), retryMs);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    });
  };

  const close = (): void => {
    aborter?.abort();
    aborter = undefined;
    source?.close();
    source = undefined;
    revision = undefined;
    lastReceivedAt = 0;
  };

  return {
    open() {
      if (aborter !== undefined || !('EventSource' in globalThis)) return;
      aborter = new AbortController();
      const { signal } = aborter;
      broadcast({ kind: 'revision?' });
      const holdConnection = (): Promise<void> =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
          connect(signal);
        });
      if ('locks' in navigator)
        void navigator.locks.request('live', { signal }, holdConnection).catch(() => {});
      else void holdConnection();
    },
    close,
    isAlive: () => aborter !== undefined && Date.now() - lastReceivedAt < TIMEOUT_MS,
  };
}
