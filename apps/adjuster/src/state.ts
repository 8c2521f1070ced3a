import { computed, effect, signal } from '@preact/signals';
import type { AppClaim, AppInvitation, Profile } from '@svc/contract';
import { alone, type News, news, sendAnswers, takeBack as takeBackAnswer } from './data/answers.ts';
import { call, listAll, Refusal, serviceNow, Unreachable } from './data/api.ts';
import { kept, type Outcome, outcomes, type WaitingAnswer, waitingAnswers } from './data/kept.ts';
import { createLive } from './data/live.ts';
import { renewNotices, turnNoticesOff } from './data/push.ts';
import { go } from './route.ts';
import { deviceLanguage, isLanguage, LANGUAGES, type Language } from './texts/language.ts';

// What the page knows. Screens read the signals; everything that changes them is below.

/** Undefined while it is not known yet; null when nobody is signed in. */
export const profile = signal<Profile | null | undefined>(undefined);
/** Why the sign-in screen shows. */
export const signedOutBecause = signal<'expired' | 'asked' | null>(null);
export const offers = signal<readonly AppClaim[] | undefined>(undefined);
export const accepted = signal<readonly AppClaim[] | undefined>(undefined);
export const closed = signal<readonly AppClaim[] | undefined>(undefined);
export const invitations = signal<readonly AppInvitation[]>([]);
/** Answers that have not reached the service yet. */
export const waiting = signal<readonly WaitingAnswer[]>([]);
/** Whether the last request reached the service. */
export const reachable = signal(true);
export const readAt = signal<number | null>(null);
export const now = signal(serviceNow());

const LANGUAGE = 'language';
export const languageChosen = signal<Language | 'device'>(chosenBefore());
export const language = computed<Language>(() =>
  languageChosen.value === 'device' ? deviceLanguage() : languageChosen.value,
);
export const texts = computed(() => LANGUAGES[language.value]);

interface Toast {
  readonly lines: readonly string[];
  readonly kind: 'good' | 'plain' | 'bad';
  /** What came of answers: each matters, so that a later one does not wipe an earlier one away. */
  readonly ofAnswers: boolean;
}
export const toast = signal<Toast | null>(null);

let toastTimer: ReturnType<typeof setTimeout> | undefined;
export function say(text: string, kind: Toast['kind'] = 'plain', ofAnswers = false): void {
  clearTimeout(toastTimer);
  const before = ofAnswers && toast.value?.ofAnswers === true ? toast.value : undefined;
  const lines = [...(before?.lines ?? []), text];
  toast.value = { lines, kind: before === undefined || before.kind === kind ? kind : 'plain', ofAnswers };
  toastTimer = setTimeout(
    () => {
      toast.value = null;
    },
    7000 + 3000 * (lines.length - 1),
  );
}

function chosenBefore(): Language | 'device' {
  const held = localStorage.getItem(LANGUAGE);
  return isLanguage(held) ? held : 'device';
}

export function chooseLanguage(chosen: Language | 'device'): void {
  languageChosen.value = chosen;
  localStorage.setItem(LANGUAGE, chosen);
}

effect(() => {
  document.documentElement.lang = language.value;
  // The service worker has no other way to know.
  void kept.put('language', language.value).catch(() => {});
});

/** Runs what needs the service, and notes what its failure tells of the network and the session. */
export async function ask<T>(work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    reachable.value = true;
    return result;
  } catch (error) {
    reachable.value = !(error instanceof Unreachable);
    if (error instanceof Refusal && error.status === 401) expired();
    throw error;
  }
}

/** Grows whenever a session begins or ends, so that what was asked in another one is not believed. */
let session = 0;

function expired(): void {
  if (profile.value === null) return;
  // Who has never been here has no session that could have ended.
  if (profile.value !== undefined) signedOutBecause.value = 'expired';
  session += 1;
  profile.value = null;
  live.close();
  // It may have been ended because the device was lost. What was not sent yet stays for whoever signs in again.
  forgetLists();
  void kept.clearLists().catch(() => {});
}

/** What a failed request is told as. */
export function complain(error: unknown): void {
  if (error instanceof Refusal && error.status === 401) return;
  const { network } = texts.value;
  say(error instanceof Unreachable ? network.needed : network.failed, 'bad');
}

let refreshing: Promise<void> | undefined;
let again = false;

/** Reads everything that is looked at all day. Calls that come meanwhile share one more round. */
export function refresh(): Promise<void> {
  if (refreshing !== undefined) {
    again = true;
    return refreshing;
  }
  refreshing = readLists()
    .catch(() => {})
    .finally(() => {
      refreshing = undefined;
      if (!again) return;
      again = false;
      void refresh();
    });
  return refreshing;
}

async function readLists(): Promise<void> {
  const asOf = edition;
  const asked = session;
  // Without a session one question is enough to know.
  if (profile.value == null) await ask(() => call<Profile>('GET', 'v1/me'));
  const [me, invited, waits, mine] = await ask(() =>
    Promise.all([
      call<Profile>('GET', 'v1/me'),
      listAll<AppInvitation>('v1/invitations?'),
      listAll<AppClaim>('v1/claims?status=pending_acceptance&'),
      listAll<AppClaim>('v1/claims?status=accepted&'),
    ]),
  );
  if (asked !== session) return;
  if (profile.value != null && profile.value.svc_id !== me.svc_id) await forget();
  profile.value = me;
  invitations.value = invited;
  offers.value = waits;
  accepted.value = mine;
  readAt.value = Date.now();
  await Promise.all([
    kept.put('profile', me),
    kept.put('invitations', invited),
    kept.put('offers', waits),
    kept.put('accepted', mine),
    kept.put('readAt', Date.now()),
    ...(asOf === null ? [] : [kept.put('edition', asOf)]),
  ]).catch(() => {});
  if (asked !== session) return void (await kept.clearLists().catch(() => {}));
  listsAsOf = asOf;
  listen();
  // What could be read can be sent as well.
  if (waiting.value.length > 0) void sendWaiting();
}

export async function readClosed(): Promise<void> {
  closed.value ??= await kept.get('closed').catch(() => undefined);
  const found = await ask(() => listAll<AppClaim>('v1/claims?status=closed&'));
  closed.value = found.toReversed();
  await kept.put('closed', closed.value).catch(() => {});
}

/** A claim from the lists, wherever it is. */
export const findClaim = (id: string): AppClaim | undefined =>
  [...(offers.value ?? []), ...(accepted.value ?? []), ...(closed.value ?? [])].find(
    (claim) => claim.id === id,
  );

/** Puts a claim that the service has just answered with in its place. */
export function place(claim: AppClaim): void {
  const { status } = claim.assignment;
  const without = (list: readonly AppClaim[] | undefined): readonly AppClaim[] =>
    (list ?? []).filter(({ id }) => id !== claim.id);
  const inPlace = (list: readonly AppClaim[] | undefined, belongs: boolean): readonly AppClaim[] => {
    if (!belongs) return list?.some(({ id }) => id === claim.id) === true ? without(list) : (list ?? []);
    const at = (list ?? []).findIndex(({ id }) => id === claim.id);
    return at === -1 ? [...(list ?? []), claim] : (list ?? []).with(at, claim);
  };
  offers.value = inPlace(offers.value, status === 'pending_acceptance' && claim.closed_at === null);
  accepted.value = inPlace(accepted.value, status === 'accepted' && claim.closed_at === null);
  if (closed.value !== undefined)
    closed.value = inPlace(closed.value, status === 'accepted' && claim.closed_at !== null);
  void kept.put('offers', offers.value).catch(() => {});
  void kept.put('accepted', accepted.value).catch(() => {});
}

// ── Answers ─────────────────────────────────────────────────────────────────

export const titleOf = (claim: AppClaim): string => nameOf(claim.policyholder);

export function nameOf(who: {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly company_name?: string | undefined;
}): string {
  const person = [who.first_name, who.last_name].filter(Boolean).join(' ');
  return person === '' ? (who.company_name ?? '') : person;
}

export const waitingFor = (claimId: string): WaitingAnswer | undefined =>
  waiting.value.find((one) => one.claimId === claimId);

/** Keeps the answer first and sends it then, so that neither a dead spot nor a closed page can lose it. */
export async function answerOffer(
  claim: AppClaim,
  answer: WaitingAnswer['answer'],
  reason?: string,
): Promise<'sent' | 'waiting' | 'signed out'> {
  const svcId = profile.value?.svc_id;
  if (svcId === undefined) return 'signed out';
  await waitingAnswers.put({
    claimId: claim.id,
    answer,
    ...(reason !== undefined && { reason }),
    svcId,
    title: titleOf(claim),
    firm: claim.firm.name,
    offeredAt: claim.offered_at,
    at: Date.now(),
  });
  await readWaiting();
  const result = await sendWaiting();
  if (result === 'waiting') wakeLater();
  return result;
}

export async function takeBack(claimId: string): Promise<void> {
  const stopped = await takeBackAnswer(claimId);
  await readWaiting();
  if (stopped) say(texts.value.claim.takenBack);
}

async function readWaiting(): Promise<void> {
  const found = await waitingAnswers.all();
  waiting.value = found.filter((one) => one.svcId === profile.value?.svc_id);
}

async function sendWaiting(): Promise<'sent' | 'waiting' | 'signed out'> {
  if (waiting.value.length === 0) return 'sent';
  const result = await sendAnswers();
  reachable.value = result !== 'waiting';
  if (result === 'signed out') expired();
  await readWaiting();
  await tellOutcomes();
  if (result === 'sent') await refresh();
  return result;
}

/** Says what came of answers, also of those that the service worker has sent meanwhile. */
async function tellOutcomes(): Promise<void> {
  for (const { claimId, result, title } of await outcomes.take().catch(() => [])) {
    outcomeOf.value = { ...outcomeOf.value, [claimId]: result };
    if (result === 'rejected' || result === 'gone')
      offers.value = offers.value?.filter(({ id }) => id !== claimId);
    const good = result === 'accepted' || result === 'rejected';
    say(texts.value.outcomes[result](title), good ? 'good' : 'plain', true);
  }
}
/** What came of the answers of this visit, by claim. */
export const outcomeOf = signal<Readonly<Record<string, Outcome['result']>>>({});

/** The service worker is woken when the browser finds the network, where browsers do that. */
function wakeLater(): void {
  const ready = navigator.serviceWorker?.ready as
    | Promise<ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } }>
    | undefined;
  void ready?.then((registration) => registration.sync?.register('answers')).catch(() => {});
}

// ── Sessions ────────────────────────────────────────────────────────────────

export async function signIn(
  proof: { email: string; code: string } | { svc_id: string; sign_in_secret: string },
): Promise<void> {
  // Nothing is sent meanwhile: an answer of whoever was here before is not to go out under another name.
  const me = await alone(async () => {
    await ask(() => call('POST', 'session', proof));
    const before = await kept.get('profile').catch(() => undefined);
    const found = await ask(() => call<Profile>('GET', 'v1/me'));
    if (before !== undefined && before.svc_id !== found.svc_id) await forget();
    await kept.put('profile', found).catch(() => {});
    return found;
  });
  session += 1;
  profile.value = me;
  signedOutBecause.value = null;
  tellTabs();
  await catchUp();
  await readWaiting();
  void sendWaiting();
  void renewNotices(0).catch(() => {});
}

/** Other tabs of this device begin anew: what they show is no longer this session's. */
function tellTabs(): void {
  const channel = news();
  channel.postMessage({ kind: 'session', svcId: profile.value?.svc_id ?? null } satisfies News);
  channel.close();
}

export async function signOut(everywhere: boolean): Promise<void> {
  if (!everywhere) await turnNoticesOff().catch(() => {});
  await ask(() => call('DELETE', everywhere ? 'sessions' : 'session')).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.status === 401)) throw error;
  });
  session += 1;
  live.close();
  await forget();
  profile.value = null;
  signedOutBecause.value = 'asked';
  tellTabs();
  go('#/');
}

/** Nothing of one adjuster's may be found by the next. */
async function forget(): Promise<void> {
  await kept.clear().catch(() => {});
  forgetLists();
  waiting.value = [];
  outcomeOf.value = {};
}

function forgetLists(): void {
  offers.value = accepted.value = closed.value = undefined;
  invitations.value = [];
  readAt.value = null;
  edition = listsAsOf = null;
}

// ── What comes by itself ────────────────────────────────────────────────────

const POLL_MS = 30_000;
/** How long the service may take to say whether there is anything to read at all. */
const FIRST_WORD_MS = 1500;
/** What the service last called the state of the lists, and what it had called it before they were read. */
let edition: string | null = null;
let listsAsOf: string | null = null;
let heard: () => void = () => {};

/** Where being told does not work, the page asks now and then. */
const live = createLive({
  changed(next) {
    edition = next;
    heard();
    if (!catchingUp && edition !== listsAsOf) void refresh();
  },
  signedOut: () => void refresh(),
  lost(answered) {
    heard();
    if (profile.value != null && (answered || reachable.value)) void refresh();
  },
  back() {
    if (reachable.value) return;
    reachable.value = true;
    whenBack();
  },
});

/** A page that nobody looks at reads what is new when somebody does. */
function listen(): void {
  if (profile.value != null && document.visibilityState === 'visible') live.open();
}

let catchingUp = false;

/** Reads what has changed since the lists were kept; a service that says "nothing" spares a bad network the rest. */
async function catchUp(): Promise<void> {
  catchingUp = true;
  edition = null;
  const word = new Promise<void>((resolve) => {
    heard = resolve;
  });
  listen();
  await Promise.race([word, new Promise((resolve) => setTimeout(resolve, FIRST_WORD_MS))]);
  catchingUp = false;
  if (edition === null || edition !== listsAsOf) return refresh();
  readAt.value = Date.now();
  await ask(async () => {
    profile.value = await call<Profile>('GET', 'v1/me');
  }).catch(() => {});
}

function whenBack(): void {
  if (profile.value == null) return;
  void sendWaiting();
  void refresh();
}

export async function start(): Promise<void> {
  const [me, waits, mine, invited, at, asOf] = await Promise.all([
    kept.get('profile'),
    kept.get('offers'),
    kept.get('accepted'),
    kept.get('invitations'),
    kept.get('readAt'),
    kept.get('edition'),
  ]).catch(() => []);
  if (me !== undefined) {
    // What is kept shows at once; what is new takes its place.
    offers.value = waits;
    accepted.value = mine;
    invitations.value = invited ?? [];
    readAt.value = at ?? null;
    listsAsOf = waits === undefined || mine === undefined ? null : (asOf ?? null);
    profile.value = me;
    await readWaiting();
  }
  await tellOutcomes();
  const channel = news();
  channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
    if (data.kind === 'open') go(data.hash);
    else if (data.kind === 'session') {
      if (profile.value !== undefined && data.svcId !== (profile.value?.svc_id ?? null)) location.reload();
    } else void readWaiting().then(tellOutcomes).then(refresh);
  });
  addEventListener('online', whenBack);
  addEventListener('offline', () => {
    reachable.value = false;
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return live.close();
    if (profile.value == null) return;
    void sendWaiting();
    if (Date.now() - (readAt.value ?? 0) > 60_000) void refresh();
    else void catchUp();
  });
  setInterval(() => {
    now.value = serviceNow();
    if (document.visibilityState !== 'visible' || profile.value == null) return;
    if (waiting.value.length > 0) void sendWaiting();
    if (live.isOpen()) return;
    live.close();
    void refresh();
  }, POLL_MS);

  if (me === undefined) await refresh();
  else await catchUp();
  if (profile.value === undefined) profile.value = null;
  if (profile.value === null) return;
  void sendWaiting();
  void renewNotices(DAY_MS).catch(() => {});
}
/** A subscription may be lost on either side without a word, and is worth a question a day. */
const DAY_MS = 24 * 60 * 60 * 1000;
