import type { EventHandlers, EventStream } from '@svc/web-app/event-stream';

/** At most one reading in this time, however often the board changes. */
const MIN_INTERVAL_MS = 3000;
/** An offer becomes late, or is pushed and seen, without an event. */
const MAX_AGE_MS = 55_000;
/** Pages of one firm do not read at the same moment. */
const SPREAD_MS = 1500;

/** Reads the board again when the service says that it has changed, while the page is shown. */
export function createLive(deps: {
  readonly openEvents: (handlers: EventHandlers) => EventStream;
  readonly isVisible: () => boolean;
  readonly changed: () => Promise<unknown>;
  readonly signedOut: () => void;
  readonly disconnected: () => void;
  readonly random: () => number;
}) {
  let revision: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let readsAgain = false;
  let readAt = 0;

  function readSoon(): void {
    if (isReading) readsAgain = true;
    const wait = Math.max(readAt + MIN_INTERVAL_MS - Date.now(), 0) + deps.random() * SPREAD_MS;
    if (!isReading) timer ??= setTimeout(() => void read(), wait);
  }

  async function read(): Promise<void> {
    timer = undefined;
    isReading = true;
    readsAgain = false;
    await deps.changed().catch(() => {});
    isReading = false;
    readAt = Date.now();
    if (readsAgain) readSoon();
  }

  const events = deps.openEvents({
    changed(next) {
      const isFirst = revision === undefined;
      const isNew = next !== revision;
      revision = next;
      if (isNew && !isFirst) readSoon();
    },
    signedOut: deps.signedOut,
    disconnected: deps.disconnected,
    // What has changed while there was no connection is not known.
    connected: () => {
      if (revision !== undefined) readSoon();
    },
  });

  return {
    readSoon,
    start: (): void => {
      if (deps.isVisible()) events.open();
    },
    stop(): void {
      events.close();
      clearTimeout(timer);
      timer = undefined;
    },
    /** Called twice a minute: reads what is old, or at once where no events arrive. */
    poll(): void {
      if (!deps.isVisible() || (events.isAlive() && Date.now() - readAt < MAX_AGE_MS)) return;
      if (!events.isAlive()) {
        events.close();
        events.open();
      }
      readSoon();
    },
  };
}
