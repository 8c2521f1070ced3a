import type { Profile } from '@svc/contract';
import { call } from '../data/api.ts';
import { createEventStream } from '../data/event-stream.ts';
import { confirmLists, lists, liveState, refresh, updateLive } from './lists.ts';
import { sendOutbox } from './outbox.ts';
import { isSignedIn, request, session, sessionNumber, updateSession } from './session.ts';

/** How long to wait for the service's revision of the lists before they are read without it. */
const REVISION_TIMEOUT_MS = 1500;

const catchingUp = { active: false, revisionReceived: (): void => {} };

const events = createEventStream({
  changed(revision) {
    updateLive({ kind: 'revision', revision });
    catchingUp.revisionReceived();
    if (!catchingUp.active && liveState().kind === 'behind') void refresh();
  },
  signedOut: () => void refresh(),
  disconnected(closed) {
    catchingUp.revisionReceived();
    if (isSignedIn() && (closed || session.reachable.value)) void refresh();
  },
  connected() {
    if (session.reachable.value) return;
    session.connection.value = 'online';
    sync();
  },
});

/** Does nothing while the page is hidden; it catches up when it is shown again. */
function listen(): void {
  if (isSignedIn() && document.visibilityState === 'visible') events.open();
}

/** Reads the lists only when their revision has changed since they were stored. */
export async function catchUp(): Promise<void> {
  catchingUp.active = true;
  updateLive({ kind: 'open' });
  const received = new Promise<void>((resolve) => {
    catchingUp.revisionReceived = resolve;
  });
  listen();
  await Promise.race([received, new Promise((resolve) => setTimeout(resolve, REVISION_TIMEOUT_MS))]);
  catchingUp.active = false;
  if (liveState().kind !== 'current') return refresh();
  const number = sessionNumber();
  try {
    const profile = await request(() => call<Profile>('GET', 'v1/me'));
    updateSession({ kind: 'profile', profile, number });
    await confirmLists();
  } catch {
    return;
  }
  for (const listener of lists.onCurrent) listener();
}

/** Sends what is queued and reads what is new. */
export function sync(): void {
  if (!isSignedIn()) return;
  void sendOutbox().catch(() => {});
  void refresh();
}

export function stopListening(): void {
  events.close();
  updateLive({ kind: 'close' });
}

/** For as long as events arrive, reading the lists at intervals is not needed. */
export function poll(): void {
  if (!isSignedIn() || document.visibilityState !== 'visible') return;
  void sendOutbox().catch(() => {});
  if (events.isAlive()) return;
  events.close();
  void refresh();
}

lists.onCurrent.push(listen);
session.onExpired.push(stopListening);
