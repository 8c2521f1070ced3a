export interface EventStream {
  /** Does nothing if already open, nor for some minutes after the service closed it in favor of another one. */
  open(): void;
  close(): void;
  /** Whether anything was received in the last 50 seconds: browsers report a dead connection late or never. */
  isAlive(): boolean;
}

export interface EventHandlers {
  /** The lists have changed; the text identifies their current revision. */
  changed(revision: string): void;
  signedOut(): void;
  /** `closed`: the service refused the connection, so that the browser does not try again. */
  disconnected(closed: boolean): void;
  connected(): void;
}

/** Between tabs. */
type Message =
  | { readonly kind: 'revision'; readonly revision: string }
  | { readonly kind: 'alive' }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'revision?' };

const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;
/** The account has more pages open than the service has streams for: this one polls for so long. */
const REPLACED_MS = 10 * 60_000;
/** The service sends an event at least every 20 seconds. */
const TIMEOUT_MS = 50_000;

/**
 * Receives the service's events. Browsers allow six connections to a host, so one tab has the connection and passes
 * events on to the others; when it is closed, another tab takes over.
 */
export function createEventStream(url: string, handlers: EventHandlers): EventStream {
  const channel = new BroadcastChannel(url);
  let abortController: AbortController | undefined;
  let source: EventSource | undefined;
  let lastReceivedAt = 0;
  let revision: string | undefined;
  let retryMs = FIRST_RETRY_MS;
  let replacedUntil = 0;

  const broadcast = (message: Message): void => channel.postMessage(message);
  const onRevision = (newRevision: string): void => {
    lastReceivedAt = Date.now();
    revision = newRevision;
    handlers.changed(newRevision);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (abortController === undefined) return;
    if (data.kind === 'revision?') {
      if (hasConnection() && revision !== undefined) broadcast({ kind: 'revision', revision });
    } else if (data.kind === 'revision') onRevision(data.revision);
    else if (data.kind === 'replaced') rest();
    else lastReceivedAt = Date.now();
  });

  const hasConnection = (): boolean => source?.readyState === EventSource.OPEN;

  const connect = (signal: AbortSignal): void => {
    if (signal.aborted) return;
    const current = new EventSource(url);
    source = current;
    const onHeartbeat = (): void => {
      lastReceivedAt = Date.now();
      broadcast({ kind: 'alive' });
    };
    current.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS;
      onHeartbeat();
      handlers.connected();
    });
    current.addEventListener('here', onHeartbeat);
    current.addEventListener('changed', (event) => {
      const newRevision = (event as MessageEvent).lastEventId;
      onRevision(newRevision);
      broadcast({ kind: 'revision', revision: newRevision });
    });
    current.addEventListener('signed-out', () => handlers.signedOut());
    current.addEventListener('replaced', () => {
      // Otherwise the next tab would open it.
      broadcast({ kind: 'replaced' });
      rest();
    });
    current.addEventListener('error', () => {
      if (source !== current) return;
      const closed = current.readyState === EventSource.CLOSED;
      handlers.disconnected(closed);
      if (!closed) return;
      setTimeout(() => connect(signal), retryMs);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    });
  };

  const close = (): void => {
    abortController?.abort();
    abortController = undefined;
    source?.close();
    source = undefined;
    revision = undefined;
    lastReceivedAt = 0;
  };

  const rest = (): void => {
    close();
    replacedUntil = Date.now() + REPLACED_MS;
    handlers.disconnected(false);
  };

  return {
    open() {
      if (abortController !== undefined || !('EventSource' in globalThis) || Date.now() < replacedUntil)
        return;
      abortController = new AbortController();
      const { signal } = abortController;
      broadcast({ kind: 'revision?' });
      const holdConnection = (): Promise<void> =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
          connect(signal);
        });
      if ('locks' in navigator) void navigator.locks.request(url, { signal }, holdConnection).catch(() => {});
      else void holdConnection();
    },
    close,
    isAlive: () => abortController !== undefined && Date.now() - lastReceivedAt < TIMEOUT_MS,
  };
}
