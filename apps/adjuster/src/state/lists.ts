import { signal } from '@preact/signals';
import type { AppClaim, AppInvitation, Profile } from '@svc/contract';
import { readPages } from '@svc/web-app/api';
import type { Api } from '../data/endpoints.ts';
import type { Storage } from '../data/storage.ts';
import { pastOffer } from '../model/history.ts';
import { applyChanges, removedFrom } from '../model/list-changes.ts';
import { areListsExpired } from '../model/list-expiry.ts';
import { CLOSED, type LiveEvent, liveReducer } from '../model/live-state.ts';
import { isClaim } from '../model/shapes.ts';
import type { Session } from './session.ts';

type Claims = readonly AppClaim[];

/** Changes become visible in order of their time, but not at once; reading some of them twice does no harm. */
const OVERLAP_MS = 60_000;
const PAGE_ITEMS = 200;
/** As many as fill the largest screen. */
const FIRST_OFFERS = 25;

class UnreadableClaim extends Error {
  override readonly name = 'UnreadableClaim';
}

export type Lists = ReturnType<typeof createLists>;

/** What the adjuster may see, as the service last sent it. */
export function createLists(deps: {
  readonly api: Api;
  readonly storage: Storage;
  readonly session: Session;
  readonly reportError: (error: unknown) => void;
  /** The session is another adjuster's than the page shows. */
  readonly startAsAnother: () => Promise<void>;
  /** Called each time the lists were read, or were found to be current. */
  readonly onCurrent: () => void;
  /** Called with offers that have ended without an answer from this device. */
  readonly onEnded: (offers: Claims) => void;
}) {
  const { api, storage, session, reportError } = deps;
  const { request } = session;
  /** A list is undefined until it is known. */
  const offers = signal<Claims | undefined>(undefined);
  const accepted = signal<Claims | undefined>(undefined);
  const closed = signal<Claims | undefined>(undefined);
  const invitations = signal<readonly AppInvitation[]>([]);
  /** Ids of claims that this release of the app cannot show. */
  const unreadable = signal<ReadonlySet<string>>(new Set());
  /** When they were last read, by the device's clock. */
  const readAt = signal<number | null>(null);
  /** From when changes have to be read; undefined before the lists were read. */
  let changesSince: string | undefined;
  /** How the lists compare with the service's revision of them. */
  let live = CLOSED;
  const updateLive = (event: LiveEvent): void => {
    live = liveReducer(live, event);
  };
  let running: Promise<void> | undefined;
  let runsAgain = false;
  /** Claims that the service has sent since the lists were requested, and which are newer than those in the lists. */
  let newer: AppClaim[] = [];

  /** Reads the profile and what has changed in the lists, without the closed claims. Calls during a run share one more. */
  function refresh(): Promise<void> {
    if (running !== undefined) {
      runsAgain = true;
      return running;
    }
    newer = [];
    running = readLists()
      .catch(() => {})
      .finally(() => {
        running = undefined;
        if (!runsAgain) return;
        runsAgain = false;
        void refresh();
      });
    return running;
  }

  /** Without those of another shape, which a later release of the app may be able to show. */
  function readableOf(claims: Claims): Claims {
    const others = claims.filter((claim) => !isClaim(claim));
    if (others.length === 0) return claims;
    unreadable.value = new Set([...unreadable.value, ...others.map(({ id }) => id)]);
    reportError(new UnreadableClaim());
    return claims.filter(isClaim);
  }

  const readAll = (status: string, updated_since?: string) =>
    readPages((cursor) =>
      api.call('listOfferedClaims', { query: { status, updated_since, limit: PAGE_ITEMS, cursor } }),
    );

  /** Reads only what has changed, where the list was read before. */
  async function readClaims(
    status: 'pending_acceptance' | 'accepted',
    known: Claims | undefined,
  ): Promise<Claims> {
    if (known !== undefined && changesSince !== undefined) {
      const { items, ids } = await readAll(status, changesSince);
      const changed = applyChanges(known, items, ids);
      if (changed !== undefined) return changed;
    }
    return (await readAll(status)).items;
  }

  async function readLists(): Promise<void> {
    const revision = live.sent;
    const number = session.number();
    const since = new Date(api.now() - OVERLAP_MS).toISOString();
    const [offersBefore, acceptedBefore] = [offers.value, accepted.value];
    const [profile, foundInvitations, foundOffers, foundAccepted] = await request(() =>
      Promise.all([
        api.call('getProfile'),
        readPages((cursor) => api.call('listInvitations', { query: { limit: PAGE_ITEMS, cursor } })),
        readClaims('pending_acceptance', offersBefore),
        readClaims('accepted', acceptedBefore),
      ]),
    );
    if (number !== session.number()) return;
    const before = session.profile.value;
    if (before != null && before.svc_id !== profile.svc_id) {
      return deps.startAsAnother();
    }
    session.renew(profile, number);
    invitations.value = foundInvitations.items;
    offers.value = readableOf(foundOffers);
    accepted.value = readableOf(foundAccepted);
    for (const claim of newer) place(claim);
    readAt.value = Date.now();
    changesSince = since;
    if (offersBefore !== undefined)
      await recordWithdrawn(offersBefore, foundOffers, foundAccepted).catch(() => {});
    await Promise.all([
      storage.put('profile', profile),
      storage.put('invitations', invitations.value),
      ...(offers.value === offersBefore ? [] : [storage.put('offers', offers.value ?? [])]),
      ...(accepted.value === acceptedBefore ? [] : [storage.put('accepted', accepted.value ?? [])]),
      storage.put('readAt', Date.now()),
      storage.put('changesSince', since),
      ...(revision === null ? [] : [storage.put('revision', revision)]),
    ]).catch(() => {});
    if (number !== session.number()) return void (await storage.clearLists().catch(() => {}));
    updateLive({ kind: 'read', at: revision });
    deps.onCurrent();
  }

  /** Offers that ended without an answer from this device. */
  async function recordWithdrawn(before: Claims, after: Claims, own: Claims): Promise<void> {
    const queued = new Set((await storage.get('outbox'))?.map(({ key }) => key));
    const kept = new Set(own.map(({ id }) => id));
    const gone = removedFrom(before, after).filter(({ id }) => !queued.has(id) && !kept.has(id));
    if (gone.length === 0) return;
    deps.onEnded(gone);
    await storage.history.add(gone.map((claim) => pastOffer(claim, 'withdrawn', Date.now())));
  }

  function place(claim: AppClaim): void {
    const { status } = claim.assignment;
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

  /** Removes the lists from the page. */
  function forget(): void {
    offers.value = accepted.value = closed.value = undefined;
    invitations.value = [];
    unreadable.value = new Set();
    readAt.value = null;
    changesSince = undefined;
    updateLive({ kind: 'forget' });
  }

  function remove(): void {
    forget();
    void storage.clearLists().catch(() => {});
  }

  return {
    ...{ offers, accepted, closed, invitations, unreadable, readAt, updateLive, refresh, forget, remove },
    liveState: (): typeof live => live,

    /** Offers and accepted claims; undefined while a list is not completely read. */
    listedClaims: (): Claims | undefined =>
      changesSince === undefined ? undefined : [...(offers.value ?? []), ...(accepted.value ?? [])],

    findClaim: (id: string): AppClaim | undefined =>
      [offers, accepted, closed].flatMap(({ value }) => value ?? []).find((claim) => claim.id === id),

    /**
     * Shows the first offers at a first visit, which reads the whole list when its revision is known. Not by `request`: it
     * is sent before it is known whether there is a session, and the request for the profile finds that out.
     */
    async readFirstOffers(): Promise<void> {
      if (offers.value !== undefined) return;
      const number = session.number();
      const query = { status: 'pending_acceptance', limit: FIRST_OFFERS };
      const { data } = await api.call('listOfferedClaims', { query });
      if (offers.value === undefined && number === session.number()) offers.value = readableOf(data);
    },

    async readClosed(): Promise<void> {
      closed.value ??= await storage.get('closed').catch(() => undefined);
      const number = session.number();
      const found = await request(() => readAll('closed'));
      if (number !== session.number()) return;
      closed.value = readableOf(found.items).toReversed();
      await storage.put('closed', closed.value).catch(() => {});
    },

    /** Shows what the last visit stored. */
    async restore(): Promise<Profile | undefined> {
      await storage.adoptFormat().catch(() => {});
      const [profile, at, storedOffers, storedAccepted, storedInvitations, revision, since, signingIn] =
        await storage
          .getAll(
            'profile',
            'readAt',
            'offers',
            'accepted',
            'invitations',
            'revision',
            'changesSince',
            'signingIn',
          )
          .catch(() => []);
      if (profile === undefined || signingIn) return undefined;
      if (areListsExpired(at, Date.now())) {
        await storage.clearLists().catch(() => {});
        return profile;
      }
      offers.value = storedOffers;
      accepted.value = storedAccepted;
      invitations.value = storedInvitations ?? [];
      readAt.value = at ?? null;
      if (storedOffers !== undefined && storedAccepted !== undefined) {
        changesSince = since;
        updateLive({ kind: 'read', at: revision ?? null });
      }
      return profile;
    },

    /** Stores what is shown, after the browser has removed what was stored. */
    async store(): Promise<void> {
      if (offers.value === undefined || accepted.value === undefined || readAt.value === null) return;
      await Promise.all([
        storage.put('offers', offers.value),
        storage.put('accepted', accepted.value),
        storage.put('invitations', invitations.value),
        storage.put('readAt', readAt.value),
        ...(changesSince === undefined ? [] : [storage.put('changesSince', changesSince)]),
      ]);
    },

    /** Moves a claim that the service has just sent to the list it belongs to. */
    updateClaim(claim: AppClaim): void {
      if (!isClaim(claim)) return;
      if (running !== undefined) {
        // What is being read may be older than this claim. Without the revision the next start reads again, too.
        runsAgain = true;
        newer.push(claim);
        void storage.remove('revision').catch(() => {});
      }
      place(claim);
      void storage.put('offers', offers.value ?? []).catch(() => {});
      void storage.put('accepted', accepted.value ?? []).catch(() => {});
    },

    /** Removes offers that are over from the list. */
    removeOffers(ids: ReadonlySet<string>): void {
      if (ids.size > 0) offers.value = offers.value?.filter(({ id }) => !ids.has(id));
    },

    /** Notes that the lists were found to be current. */
    async confirm(): Promise<void> {
      readAt.value = Date.now();
      await storage.put('readAt', readAt.value).catch(() => {});
      deps.onCurrent();
    },

    /** Removes the lists from a page that has been open for days without reading them. */
    expire(): void {
      if (readAt.value === null || !areListsExpired(readAt.value, Date.now())) return;
      remove();
      void refresh();
    },
  };
}
