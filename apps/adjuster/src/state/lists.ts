import { signal } from '@preact/signals';
import type { AppClaim, AppInvitation, Profile } from '@svc/contract';
import { call, listAll } from '../data/api.ts';
import { storage } from '../data/storage.ts';
import { forget, request, session } from './session.ts';

type Claims = readonly AppClaim[];

/** What the adjuster may see. A list is undefined until it is known. */
export const lists = {
  offers: signal<Claims | undefined>(undefined),
  accepted: signal<Claims | undefined>(undefined),
  closed: signal<Claims | undefined>(undefined),
  invitations: signal<readonly AppInvitation[]>([]),
  /** When they were last read, by the device's clock. */
  readAt: signal<number | null>(null),
  /** The service's current revision of the lists, and the one that was current before they were read. */
  revision: { current: null as string | null, read: null as string | null },
  /** Called each time the lists were read. */
  onRead: [] as (() => void)[],
};

const refreshing = { run: undefined as Promise<void> | undefined, again: false };

/** Reads the profile and all lists but the closed claims. Calls during a run share one more run. */
export function refresh(): Promise<void> {
  if (refreshing.run !== undefined) {
    refreshing.again = true;
    return refreshing.run;
  }
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

async function readLists(): Promise<void> {
  const revision = lists.revision.current;
  const requestedIn = session.number;
  // Without a session one request is enough to find out.
  if (session.profile.value == null) await request(() => call<Profile>('GET', 'v1/me'));
  const [profile, invitations, offers, accepted] = await request(() =>
    Promise.all([
      call<Profile>('GET', 'v1/me'),
      listAll<AppInvitation>('v1/invitations?'),
      listAll<AppClaim>('v1/claims?status=pending_acceptance&'),
      listAll<AppClaim>('v1/claims?status=accepted&'),
    ]),
  );
  if (requestedIn !== session.number) return;
  const before = session.profile.value;
  if (before != null && before.svc_id !== profile.svc_id) await forget();
  session.profile.value = profile;
  lists.invitations.value = invitations;
  lists.offers.value = offers;
  lists.accepted.value = accepted;
  lists.readAt.value = Date.now();
  await Promise.all([
    storage.put('profile', profile),
    storage.put('invitations', invitations),
    storage.put('offers', offers),
    storage.put('accepted', accepted),
    storage.put('readAt', Date.now()),
    ...(revision === null ? [] : [storage.put('revision', revision)]),
  ]).catch(() => {});
  if (requestedIn !== session.number) return void (await storage.clearLists().catch(() => {}));
  lists.revision.read = revision;
  for (const act of lists.onRead) act();
}

/** Shows what the last visit stored. */
export async function restoreLists(): Promise<Profile | undefined> {
  const [profile, offers, accepted, invitations, readAt, revision] = await Promise.all([
    storage.get('profile'),
    storage.get('offers'),
    storage.get('accepted'),
    storage.get('invitations'),
    storage.get('readAt'),
    storage.get('revision'),
  ]).catch(() => []);
  if (profile === undefined) return undefined;
  lists.offers.value = offers;
  lists.accepted.value = accepted;
  lists.invitations.value = invitations ?? [];
  lists.readAt.value = readAt ?? null;
  lists.revision.read = offers === undefined || accepted === undefined ? null : (revision ?? null);
  return profile;
}

export async function readClosed(): Promise<void> {
  lists.closed.value ??= await storage.get('closed').catch(() => undefined);
  const found = await request(() => listAll<AppClaim>('v1/claims?status=closed&'));
  lists.closed.value = found.toReversed();
  await storage.put('closed', lists.closed.value).catch(() => {});
}

export const findClaim = (id: string): AppClaim | undefined =>
  [lists.offers, lists.accepted, lists.closed]
    .flatMap(({ value }) => value ?? [])
    .find((claim) => claim.id === id);

/** Moves a claim that the service has just sent to the list it belongs to. */
export function updateClaim(claim: AppClaim): void {
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
  void storage.put('offers', offers.value).catch(() => {});
  void storage.put('accepted', accepted.value).catch(() => {});
}

function clearLists(): void {
  lists.offers.value = lists.accepted.value = lists.closed.value = undefined;
  lists.invitations.value = [];
  lists.readAt.value = null;
  lists.revision = { current: null, read: null };
}

session.onForget.push(clearLists);
session.onExpired.push(() => {
  // It may have been ended because the device was lost. Answers not sent yet stay for the next sign-in.
  clearLists();
  void storage.clearLists().catch(() => {});
});
