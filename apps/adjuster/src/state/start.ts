import type { Profile, SignInBody } from '@svc/contract';
import { ApiError, call } from '../data/api.ts';
import { onDatabaseLost } from '../data/database.ts';
import { DAY_MS, disableNotifications, renewSubscription } from '../data/notifications.ts';
import { notifyTabs, openChannel, type TabMessage } from '../data/outbox.ts';
import { storage } from '../data/storage.ts';
import { go } from '../navigation.ts';
import { restoreArrangement } from './arrangement.ts';
import { updateClock } from './clock.ts';
import { restoreDeadlines } from './deadlines.ts';
import { expireLists, lists, readFirstOffers, refresh, restoreLists, storeLists } from './lists.ts';
import { catchUp, poll, stopListening, sync } from './live-updates.ts';
import { entries, outbox, readOutbox, releaseOutbox, sendOutbox } from './outbox.ts';
import { showOutcomes } from './outcomes.ts';
import { restoreOrigin } from './places.ts';
import { forget, isSignedIn, request, session, sessionNumber, updateSession } from './session.ts';
import { restoreTyped } from './typed.ts';

const POLL_MS = 30_000;
/** A page that was hidden for longer reads its lists without asking for their revision. */
const STALE_MS = 60_000;

export async function signIn(proof: SignInBody): Promise<void> {
  // Exclusive, so that nothing of the previous adjuster is sent in this one's session.
  const profile = await outbox.exclusive(async () => {
    await request(() => call('POST', 'session', proof));
    const before = await storage.get('profile').catch(() => undefined);
    const found = await request(() => call<Profile>('GET', 'v1/me'));
    if (before !== undefined && before.svc_id !== found.svc_id) {
      await storage.setTypedAside(before.svc_id).catch(() => {});
      await forget();
    }
    await storage.bringTypedBack(found.svc_id).catch(() => {});
    await storage.put('profile', found).catch(() => {});
    return found;
  });
  await restoreTyped();
  updateSession({ kind: 'signedIn', profile });
  notifyOfSession();
  void readFirstOffers().catch(() => {});
  await catchUp();
  void sendOutbox().catch(() => {});
  void renewSubscription(0).catch(() => {});
}

export async function signOut(everywhere: boolean): Promise<void> {
  if (!everywhere) await disableNotifications().catch(() => {});
  await request(() => call('DELETE', everywhere ? 'sessions' : 'session')).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  });
  stopListening();
  session.needsPasskey.value = false;
  updateSession({ kind: 'signedOut' });
  await outbox.clear().catch(() => {});
  await forget();
  notifyOfSession();
  go('#/');
}

/** Other tabs of this device reload: what they show belongs to another session. */
const notifyOfSession = (): void =>
  notifyTabs({ kind: 'session', svcId: session.profile.value?.svc_id ?? null });

function receive({ data }: MessageEvent<TabMessage>): void {
  const { profile } = session;
  if (data.kind === 'open') go(data.hash);
  else if (data.kind === 'session') {
    if (profile.value !== undefined && data.svcId !== (profile.value?.svc_id ?? null)) location.reload();
  } else void readChangedOutbox().catch(() => {});
}

/** Another tab, the service worker or this one has changed the outbox. */
async function readChangedOutbox(): Promise<void> {
  const before = entries.value;
  await readOutbox();
  await showOutcomes();
  const ids = new Set(entries.value.map(({ id }) => id));
  if (before.some(({ id, kind }) => kind === 'answer' && !ids.has(id))) void refresh();
}

/** Finds out whether somebody is signed in, where nothing is stored. */
async function findSession(): Promise<void> {
  const number = sessionNumber();
  const profile = await request(() => call<Profile>('GET', 'v1/me'));
  updateSession({ kind: 'profile', profile, number });
}

const STORE_AGAIN_MS = 500;
let storing: ReturnType<typeof setTimeout> | undefined;

/** The browser has closed the database, perhaps to remove what was stored: the page still has it. */
function storeAgain(): void {
  clearTimeout(storing);
  // As they are now: what reads the emptied database before they are stored again would find none.
  unstored ??= entries.value;
  // Not at once: the browser may not have finished, and would remove it again.
  storing = setTimeout(() => void storeShown().catch(storeAgain), STORE_AGAIN_MS);
}

let unstored: typeof entries.value | undefined;

async function storeShown(): Promise<void> {
  const profile = session.profile.value;
  if (profile == null) return;
  await storage.put('profile', profile);
  await outbox.restore(unstored ?? []);
  unstored = undefined;
  await readOutbox();
  await storeLists();
}

export async function start(): Promise<void> {
  onDatabaseLost(storeAgain);
  // What is stored shows at once, until the lists are read.
  const [stored] = await Promise.all([
    restoreLists(),
    restoreArrangement(),
    restoreDeadlines(),
    restoreTyped(),
  ]);
  updateSession({ kind: 'restored', profile: stored });
  const found = stored === undefined ? findSession().catch(() => {}) : undefined;
  void readFirstOffers().catch(() => {});
  if (stored !== undefined) {
    await readOutbox().catch(() => {});
  }
  void restoreOrigin();
  await showOutcomes().catch(() => {});
  openChannel().addEventListener('message', receive);
  addEventListener('online', sync);
  addEventListener('offline', () => {
    session.connection.value = 'offline';
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') {
      void releaseOutbox().catch(() => {});
      return stopListening();
    }
    if (!isSignedIn()) return;
    if (Date.now() - (lists.readAt.value ?? 0) > STALE_MS) return sync();
    void sendOutbox().catch(() => {});
    void catchUp();
  });
  setInterval(() => {
    updateClock();
    expireLists();
    poll();
  }, POLL_MS);

  await found;
  if (isSignedIn()) await catchUp();
  updateSession({ kind: 'started' });
  if (!isSignedIn()) return;
  void sendOutbox().catch(() => {});
  void renewSubscription(DAY_MS).catch(() => {});
}
