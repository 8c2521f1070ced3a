import { ROOT } from './api.ts';

interface Live {
  /** Begins to listen; does nothing when it already does. */
  open(): void;
  close(): void;
  /** Whether news would have been heard: a connection may be dead for long before anybody is told. */
  isOpen(): boolean;
}

interface Heard {
  /** What the service calls the state of the lists now. */
  changed(edition: string): void;
  signedOut(): void;
  /** The connection is gone; the service may have said why, to whoever asks it. */
  lost(answered: boolean): void;
  back(): void;
}

type Word =
  | { readonly kind: 'edition'; readonly edition: string }
  | { readonly kind: 'alive' }
  | { readonly kind: 'edition?' };

const FIRST_RETRY_MS = 2000;
const LAST_RETRY_MS = 60_000;
/** The service says every twenty seconds that it is still there. */
const SILENCE_MS = 50_000;

/**
 * Being told by the service when there is something new. Browsers give a host six connections and no more, so that one
 * tab listens for all of them; when it goes, another takes its place.
 */
export function createLive(heard: Heard): Live {
  const channel = new BroadcastChannel('live');
  let wanted: AbortController | undefined;
  let source: EventSource | undefined;
  let last = 0;
  let edition: string | undefined;
  let retryMs = FIRST_RETRY_MS;

  const tell = (word: Word): void => channel.postMessage(word);
  const changed = (next: string): void => {
    last = Date.now();
    edition = next;
    heard.changed(next);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Word>) => {
    if (wanted === undefined) return;
    if (data.kind === 'edition?') {
      if (isListening() && edition !== undefined) tell({ kind: 'edition', edition });
    } else if (data.kind === 'edition') changed(data.edition);
    else last = Date.now();
  });

  const isListening = (): boolean => source?.readyState === EventSource.OPEN;

  const connect = (end: AbortSignal): void => {
    if (end.aborted) return;
    const opened = new EventSource(`${ROOT}events`);
    source = opened;
    const alive = (): void => {
      last = Date.now();
      tell({ kind: 'alive' });
    };
    opened.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS;
      alive();
      heard.back();
    });
    opened.addEventListener('here', alive);
    opened.addEventListener('changed', (event) => {
      const next = (event as MessageEvent).lastEventId;
      changed(next);
      tell({ kind: 'edition', edition: next });
    });
    opened.addEventListener('signed-out', () => heard.signedOut());
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      const closed = opened.readyState === EventSource.CLOSED;
      heard.lost(closed);
      if (!closed) return;
      setTimeout(() => connect(end), retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    });
  };

  const close = (): void => {
    wanted?.abort();
    wanted = undefined;
    source?.close();
    source = undefined;
    edition = undefined;
    last = 0;
  };

  return {
    open() {
      if (wanted !== undefined || !('EventSource' in globalThis)) return;
      wanted = new AbortController();
      const { signal } = wanted;
      tell({ kind: 'edition?' });
      const listen = (): Promise<void> =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
          connect(signal);
        });
      if ('locks' in navigator) void navigator.locks.request('live', { signal }, listen).catch(() => {});
      else void listen();
    },
    close,
    isOpen: () => wanted !== undefined && Date.now() - last < SILENCE_MS,
  };
}
