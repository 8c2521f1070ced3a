import { signal } from '@preact/signals';
import type { AppClaim, AppInvitation, Profile } from '@svc/contract';
import { call, listAll, listChanges, type Page, serviceNow } from '../data/api.ts';
import { history, storage } from '../data/storage.ts';
import { pastOffer } from '../model/history.ts';
import { applyChanges, removedFrom } from '../model/list-changes.ts';
import { areListsExpired } from '../model/list-expiry.ts';
import { CLOSED, type LiveEvent, liveReducer } from '../model/live-state.ts';
import { isClaim } from '../model/shapes.ts';
import { reportError } from './errors.ts';
import { forget, request, session, sessionNumber, updateSession } from './session.ts';

type Claims = readonly AppClaim[];

/** What the adjuster may see. A list is undefined until it is known. */
export const lists = {
  offers: signal<Claims | undefined>(undefined),
  accepted: signal<Claims | undefined>(undefined),
  closed: signal<Claims | undefined>(undefined),
  invitations: signal<readonly AppInvitation[]>([]),
  /** Ids of claims that this release of the app cannot show. */
  unreadable: signal<ReadonlySet<string>>(new Set()),
  /** When they were last read, by the device's clock. */
  readAt: signal<number | null>(null),
  /** Called each time the lists were read, or were found to be current. */
  onCurrent: [] as (() => void)[],
};

let live = CLOSED;
/** How the lists compare with the service's revision of them. */
export const liveState = (): typeof live => live;
export function updateLive(event: LiveEvent): void {
  live = liveReducer(live, event);
}

/** From when changes have to be read; undefined before the lists were read. */
let changesSince: string | undefined;
/** Changes become visible in order of their time, but not at once; reading some of them twice does no harm. */
const OVERLAP_MS = 60_000;

/** Offers and accepted claims; undefined while a list is not completely read. */
export const listedClaims = (): Claims | undefined =>
  changesSince === undefined ? undefined : [...(lists.offers.value ?? []), ...(lists.accepted.value ?? [])];

const refreshing = {
  run: undefined as Promise<void> | undefined,
  again: false,
  /** Claims that the service has sent since the lists were requested, and which are newer than those in the lists. */
  newer: [] as AppClaim[],
};

/** Reads the profile and what has changed in the lists, without the closed claims. Calls during a run share one more. */
export function refresh(): Promise<void> {
  if (refreshing.run !== undefined) {
    refreshing.again = true;
    return refreshing.run;
  }
  refreshing.newer = [];
  refreshing.run = readLists()
    .catch(() => {})
    .finally(() => {
      refreshing.run = undefined;
      if (!refreshing.again) return;
      refreshing.again = false;
      void refresh();
    });
  return refreshing.run;
}

/** Without those of another shape, which a later release of the app may be able to show. */
function readableOf(claims: Claims): Claims {
  const unreadable = claims.filter((claim) => !isClaim(claim));
  if (unreadable.length === 0) return claims;
  lists.unreadable.value = new Set([...lists.unreadable.value, ...unreadable.map(({ id }) => id)]);
  reportError(new UnreadableClaim());
  return claims.filter(isClaim);
}

class UnreadableClaim extends Error {
  override readonly name = 'UnreadableClaim';
}

/** Reads only what has changed, where the list was read before. */
async function readClaims(
  status: 'pending_acceptance' | 'accepted',
  known: Claims | undefined,
): Promise<Claims> {
  const list = `v1/claims?status=${status}&`;
  if (known !== undefined && changesSince !== undefined) {
    const { items, ids } = await listChanges<AppClaim>(`${list}updated_since=${changesSince}&`);
    const changed = applyChanges(known, readableOf(items), ids);
    if (changed !== undefined) return changed;
  }
  return readableOf(await listAll<AppClaim>(list));
}

/** As many as fill the largest screen. */
const FIRST_OFFERS = 25;

/**
 * Shows the first offers at a first visit, which reads the whole list when its revision is known. Not by `request`: it is
 * sent before it is known whether there is a session, and the request for the profile finds that out.
 */
export async function readFirstOffers(): Promise<void> {
  const { offers } = lists;
  if (offers.value !== undefined) return;
  const number = sessionNumber();
  const path = `v1/claims?status=pending_acceptance&limit=${FIRST_OFFERS}`;
  const { data } = await call<Page<AppClaim>>('GET', path);
  if (offers.value === undefined && number === sessionNumber()) offers.value = readableOf(data);
}

async function readLists(): Promise<void> {
  const revision = live.sent;
  const number = sessionNumber();
  const since = new Date(serviceNow() - OVERLAP_MS).toISOString();
  const [offersBefore, acceptedBefore] = [lists.offers.value, lists.accepted.value];
  const [profile, invitations, offers, accepted] = await request(() =>
    Promise.all([
      call<Profile>('GET', 'v1/me'),
      listAll<AppInvitation>('v1/invitations?'),
      readClaims('pending_acceptance', offersBefore),
      readClaims('accepted', acceptedBefore),
    ]),
  );
  if (number !== sessionNumber()) return;
  const before = session.profile.value;
  if (before != null && before.svc_id !== profile.svc_id) {
    await forget();
    return readLists();
  }
  updateSession({ kind: 'profile', profile, number });
  lists.invitations.value = invitations;
  lists.offers.value = offers;
  lists.accepted.value = accepted;
  for (const claim of refreshing.newer) placeClaim(claim);
  lists.readAt.value = Date.now();
  changesSince = since;
  if (offersBefore !== undefined) await recordWithdrawn(offersBefore, offers, accepted).catch(() => {});
  await Promise.all([
    storage.put('profile', profile),
    storage.put('invitations', invitations),
    ...(lists.offers.value === offersBefore ? [] : [storage.put('offers', lists.offers.value ?? [])]),
    ...(lists.accepted.value === acceptedBefore ? [] : [storage.put('accepted', lists.accepted.value ?? [])]),
    storage.put('readAt', Date.now()),
    storage.put('changesSince', since),
    ...(revision === null ? [] : [storage.put('revision', revision)]),
  ]).catch(() => {});
  if (number !== sessionNumber()) return void (await storage.clearLists().catch(() => {}));
  updateLive({ kind: 'read', at: revision });
  for (const listener of lists.onCurrent) listener();
}

/** Offers that ended without an answer from this device. */
async function recordWithdrawn(before: Claims, offers: Claims, accepted: Claims): Promise<void> {
  const queued = new Set((await storage.get('outbox'))?.map(({ key }) => key));
  const own = new Set(accepted.map(({ id }) => id));
  const gone = removedFrom(before, offers).filter(({ id }) => !queued.has(id) && !own.has(id));
  if (gone.length === 0) return;
  await history.add(gone.map((claim) => pastOffer(claim, 'withdrawn', Date.now())));
}

/** Shows what the last visit stored. */
export async function restoreLists(): Promise<Profile | undefined> {
  await storage.adoptFormat().catch(() => {});
  const [profile, readAt, offers, accepted, invitations, revision, since] = await storage
    .getAll('profile', 'readAt', 'offers', 'accepted', 'invitations', 'revision', 'changesSince')
    .catch(() => []);
  if (profile === undefined) return undefined;
  if (areListsExpired(readAt, Date.now())) {
    await storage.clearLists().catch(() => {});
    return profile;
  }
  lists.offers.value = offers;
  lists.accepted.value = accepted;
  lists.invitations.value = invitations ?? [];
  lists.readAt.value = readAt ?? null;
  if (offers !== undefined && accepted !== undefined) {
    changesSince = since;
    updateLive({ kind: 'read', at: revision ?? null });
  }
  return profile;
}

/** Stores what is shown, after the browser has removed what was stored. */
export async function storeLists(): Promise<void> {
  const { offers, accepted, invitations, readAt } = lists;
  if (offers.value === undefined || accepted.value === undefined || readAt.value === null) return;
  await Promise.all([
    storage.put('offers', offers.value),
    storage.put('accepted', accepted.value),
    storage.put('invitations', invitations.value),
    storage.put('readAt', readAt.value),
    ...(changesSince === undefined ? [] : [storage.put('changesSince', changesSince)]),
  ]);
}

export async function readClosed(): Promise<void> {
  lists.closed.value ??= await storage.get('closed').catch(() => undefined);
  const found = await request(() => listAll<AppClaim>('v1/claims?status=closed&'));
  lists.closed.value = readableOf(found).toReversed();
  await storage.put('closed', lists.closed.value).catch(() => {});
}

export const findClaim = (id: string): AppClaim | undefined =>
  [lists.offers, lists.accepted, lists.closed]
    .flatMap(({ value }) => value ?? [])
    .find((claim) => claim.id === id);

/** Moves a claim that the service has just sent to the list it belongs to. */
export function updateClaim(claim: AppClaim): void {
  if (!isClaim(claim)) return;
  if (refreshing.run !== undefined) {
    // What is being read may be older than this claim. Without the revision the next start reads again, too.
    refreshing.again = true;
    refreshing.newer.push(claim);
    void storage.remove('revision').catch(() => {});
  }
  placeClaim(claim);
  void storage.put('offers', lists.offers.value ?? []).catch(() => {});
  void storage.put('accepted', lists.accepted.value ?? []).catch(() => {});
}

function placeClaim(claim: AppClaim): void {
  const { status } = claim.assignment;
  const { offers, accepted, closed } = lists;
  const updated = (list: Claims = [], belongs: boolean): Claims => {
    const index = list.findIndex(({ id }) => id === claim.id);
    if (belongs) return index === -1 ? [...list, claim] : list.with(index, claim);
    return index === -1 ? list : list.toSpliced(index, 1);
  };
  const open = claim.closed_at === null;
  offers.value = updated(offers.value, status === 'pending_acceptance' && open);
  accepted.value = updated(accepted.value, status === 'accepted' && open);
  if (closed.value !== undefined) closed.value = updated(closed.value, status === 'accepted' && !open);
}

/** Notes that the lists were found to be current. */
export async function confirmLists(): Promise<void> {
  lists.readAt.value = Date.now();
  await storage.put('readAt', lists.readAt.value).catch(() => {});
}

/** Removes the lists from a page that has been open for days without reading them. */
export function expireLists(): void {
  const { value } = lists.readAt;
  if (value === null || !areListsExpired(value, Date.now())) return;
  removeLists();
  void refresh();
}

function clearLists(): void {
  lists.offers.value = lists.accepted.value = lists.closed.value = undefined;
  lists.invitations.value = [];
  lists.readAt.value = null;
  changesSince = undefined;
  updateLive({ kind: 'forget' });
}

function removeLists(): void {
  clearLists();
  void storage.clearLists().catch(() => {});
}

session.onForget.push(clearLists);
// It may have been ended because the device was lost. Answers not sent yet stay for the next sign-in.
session.onExpired.push(removeLists);
