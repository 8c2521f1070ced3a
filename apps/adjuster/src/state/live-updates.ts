import type { EventHandlers, EventStream } from '@svc/web-app/event-stream';
import type { Call } from '../data/endpoints.ts';
import type { Lists } from './lists.ts';
import type { Session } from './session.ts';

/** How long to wait for the service's revision of the lists before they are read without it. */
const REVISION_TIMEOUT_MS = 1500;

/** Keeps the lists current while the page is shown. */
export function createLiveUpdates(deps: {
  readonly call: Call;
  readonly session: Session;
  readonly lists: Lists;
  readonly openEvents: (handlers: EventHandlers) => EventStream;
  readonly isVisible: () => boolean;
  readonly send: () => void;
}) {
  const { call, session, lists, isVisible } = deps;
  const { isSignedIn } = session;
  let isCatchingUp = false;
  let revisionReceived = (): void => {};

  /** Sends what is queued and reads what is new. */
  function sync(): void {
    if (!isSignedIn()) return;
    deps.send();
    void lists.refresh();
  }

  const events = deps.openEvents({
    changed(revision) {
      lists.updateLive({ kind: 'revision', revision });
      revisionReceived();
      if (!isCatchingUp && lists.liveState().kind === 'behind') void lists.refresh();
    },
    signedOut: () => void lists.refresh(),
    disconnected(closed) {
      revisionReceived();
      if (isSignedIn() && (closed || session.reachable.value)) void lists.refresh();
    },
    connected() {
      if (session.reachable.value) return;
      session.connection.value = 'online';
      sync();
    },
  });

  /** Does nothing while the page is hidden; it catches up when it is shown again. */
  function listen(): void {
    if (isSignedIn() && isVisible()) events.open();
  }

  return {
    sync,
    listen,
    stop(): void {
      events.close();
      lists.updateLive({ kind: 'close' });
    },

    /** Reads the lists only when their revision has changed since they were stored. */
    async catchUp(): Promise<void> {
      isCatchingUp = true;
      lists.updateLive({ kind: 'open' });
      const received = new Promise<void>((resolve) => {
        revisionReceived = resolve;
      });
      listen();
      await Promise.race([received, new Promise((resolve) => setTimeout(resolve, REVISION_TIMEOUT_MS))]);
      isCatchingUp = false;
      if (lists.liveState().kind !== 'current') return lists.refresh();
      const number = session.number();
      try {
        const profile = await session.request(() => call('getProfile'));
        session.renew(profile, number);
      } catch {
        return;
      }
      await lists.confirm();
    },

    /** While the page is hidden, it only sends: not every browser can send in the background. */
    poll(): void {
      if (!isSignedIn()) return;
      deps.send();
      // For as long as events arrive, reading the lists is not needed.
      if (!isVisible() || events.isAlive()) return;
      events.close();
      void lists.refresh();
    },
  };
}
