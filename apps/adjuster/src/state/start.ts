import type { Profile, SignInBody } from '@svc/contract';
import { openChannel, type TabMessage } from '../data/answer-queue.ts';
import { ApiError, call } from '../data/api.ts';
import { onDatabaseLost } from '../data/database.ts';
import { disableNotifications, renewSubscription } from '../data/notifications.ts';
import { pendingWork, queuedAnswers, storage } from '../data/storage.ts';
import { withLock } from '../data/with-lock.ts';
import { go } from '../navigation.ts';
import { answers, readQueue, releaseAnswers, sendQueue, showOutcomes } from './answers.ts';
import { restoreArrangement } from './arrangement.ts';
import { updateClock } from './clock.ts';
import { restoreDeadlines } from './deadlines.ts';
import { expireLists, lists, readFirstOffers, refresh, restoreLists, storeLists } from './lists.ts';
import { catchUp, poll, stopListening, sync } from './live-updates.ts';
import { restoreOrigin } from './places.ts';
import { forget, isSignedIn, request, session, sessionNumber, updateSession } from './session.ts';
import { restoreTyped } from './typed.ts';
import { pending, sendWork } from './work.ts';

const POLL_MS = 30_000;
/** A page that was hidden for longer reads its lists without asking for their revision. */
const STALE_MS = 60_000;
/** Either side may drop a push subscription without notice, so it is registered again once a day. */
const DAY_MS = 24 * 60 * 60 * 1000;

export async function signIn(proof: SignInBody): Promise<void> {
  // Exclusive, so that an answer of the previous adjuster is not sent in this one's session.
  const profile = await withLock('answers', async () => {
    await request(() => call('POST', 'session', proof));
    const before = await storage.get('profile').catch(() => undefined);
    const found = await request(() => call<Profile>('GET', 'v1/me'));
    if (before !== undefined && before.svc_id !== found.svc_id) await forget();
    await storage.put('profile', found).catch(() => {});
    return found;
  });
  updateSession({ kind: 'signedIn', profile });
  notifyTabs();
  void readFirstOffers().catch(() => {});
  await catchUp();
  await readQueue();
  void sendQueue();
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
  await forget();
  notifyTabs();
  go('#/');
}

/** Other tabs of this device reload: what they show belongs to another session. */
function notifyTabs(): void {
  const channel = openChannel();
  channel.postMessage({ kind: 'session', svcId: session.profile.value?.svc_id ?? null } satisfies TabMessage);
  channel.close();
}

function receive({ data }: MessageEvent<TabMessage>): void {
  const { profile } = session;
  if (data.kind === 'open') go(data.hash);
  else if (data.kind === 'session') {
    if (profile.value !== undefined && data.svcId !== (profile.value?.svc_id ?? null)) location.reload();
  } else void readQueue().then(showOutcomes).then(refresh);
}

/** Sends settings that wait; only then is their module needed here. */
async function sendStoredSettings(): Promise<void> {
  if ((await storage.get('settings')) !== undefined) await (await import('./settings.ts')).sendSettings();
}
lists.onCurrent.push(() => void sendStoredSettings().catch(() => {}));

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
  // Not at once: the browser may not have finished, and would remove it again.
  storing = setTimeout(() => void storeShown().catch(storeAgain), STORE_AGAIN_MS);
}

async function storeShown(): Promise<void> {
  const profile = session.profile.value;
  if (profile == null) return;
  await storage.put('profile', profile);
  for (const answer of answers.queued.value) await queuedAnswers.put(answer);
  for (const [id, edits] of Object.entries(pending.value))
    await pendingWork.update(id, (stored) => stored ?? edits);
  await storeLists();
}

export async function start(): Promise<void> {
  onDatabaseLost(storeAgain);
  const { reachable } = session;
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
    await readQueue().catch(() => {});
    void sendWork().catch(() => {});
  }
  void restoreOrigin();
  await showOutcomes();
  openChannel().addEventListener('message', receive);
  addEventListener('online', sync);
  addEventListener('offline', () => {
    reachable.value = false;
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') {
      void releaseAnswers();
      return stopListening();
    }
    if (!isSignedIn()) return;
    if (Date.now() - (lists.readAt.value ?? 0) > STALE_MS) return sync();
    void sendQueue();
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
  void sendQueue();
  void renewSubscription(DAY_MS).catch(() => {});
}
