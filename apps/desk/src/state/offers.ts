import { computed, signal } from '@preact/signals';
import { ApiError, needsSignIn } from '@svc/web-app/api-error';
import type { BoardAdjuster, BoardClaim, Call, ProposedOffer } from '../endpoints.ts';
import type { Texts } from '../texts/en.ts';

export type OfferedClaim = Pick<
  BoardClaim,
  'id' | 'name' | 'claim_number' | 'test' | 'updated_at' | 'status' | 'adjuster_svc_id'
>;

/** An offer of one claim to one adjuster, and what became of it. */
export interface Act {
  readonly claim: OfferedClaim;
  readonly adjuster: Pick<BoardAdjuster, 'svc_id' | 'name' | 'invited_as'>;
  /** `unknown`: no response arrived, and the offer may have been made. */
  readonly state: 'sending' | 'offered' | 'refused' | 'unknown';
  /** Why it was refused: a code of the service, and its reason in English. */
  readonly code?: string;
  readonly reason?: string;
}

/** The claim as it was seen. */
type PlannedOffer = ProposedOffer & { readonly claim: Omit<OfferedClaim, 'name'> };

/** An open dialog, which a reload and the end of a session keep. */
export interface OfferDraft {
  /** `spread`: each claim goes to one of several adjusters. */
  readonly from: 'board' | 'claim' | 'spread';
  /** Of the claims. */
  readonly ids: readonly string[];
  readonly typed: string;
  /** SVCID of the adjuster. */
  readonly chosen?: string;
  /** SVCIDs of those over whom the claims are spread. */
  readonly ticked?: readonly string[];
  /** Who gets which, as it was shown, until each offer has an outcome: a page that is loaded again goes on with the same. */
  readonly plan?: readonly PlannedOffer[] | undefined;
}

/** How the adjusters of a dialog are sorted. */
export const CANDIDATE_ORDERS = ['work', 'distance', 'answer', 'name'] as const;
export type CandidateOrder = (typeof CANDIDATE_ORDERS)[number];

const PARALLEL = 4;
/** Of the claims that were not offered, this many are named in a message; the board names all. */
const MAX_NAMED = 5;

/**
 * The same for each attempt to offer a claim, as it is now, to this adjuster: a retry, a double tap, another tab and a
 * page that was loaded again cannot offer it twice. After the claim has changed, it is another act.
 */
const keyOf = ({ claim, adjuster }: Act): string => `desk/${claim.id}/${claim.updated_at}/${adjuster.svc_id}`;

export type Offers = ReturnType<typeof createOffers>;

export function createOffers(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  /** Called when offers are being made, and again when each has an outcome. */
  readonly onProgress: (acts: readonly Act[]) => void;
}) {
  const acts = signal<readonly Act[]>([]);
  /** The offer that is being prepared. */
  const draft = signal<OfferDraft | undefined>(undefined);
  const replace = (act: Act, change: Partial<Act>): void => {
    acts.value = acts.value.map((one) => (keyOf(one) === keyOf(act) ? { ...one, ...change } : one));
  };

  async function send(act: Act): Promise<void> {
    const { claim, adjuster } = act;
    const parts = {
      params: { id: claim.id },
      query: { environment: claim.test ? 'test' : 'live' },
      headers: { 'Idempotency-Key': keyOf(act) },
      // What the person sees: the service does not take the claim from somebody who offered it since.
      body: { adjuster_svc_id: adjuster.svc_id, updated_at: claim.updated_at },
    } as const;
    try {
      const { assignment } = await deps.request(() => deps.call('offerBoardClaim', parts));
      // A repeat returns the claim as it is by now.
      const isOurs = assignment.adjuster_svc_id === adjuster.svc_id;
      replace(act, isOurs ? { state: 'offered' } : { state: 'refused', code: 'claim_changed' });
    } catch (error) {
      const refusal = error instanceof ApiError ? error : undefined;
      // A session that has ended says nothing about the offer: it is sent again with its key.
      const { code, reason } = needsSignIn(error) ? {} : (refusal ?? {});
      replace(
        act,
        code === undefined ? { state: 'unknown' } : { state: 'refused', code, reason: reason ?? '' },
      );
    }
  }

  async function sendAll(waiting: readonly Act[]): Promise<void> {
    const keys = new Set(waiting.map(keyOf));
    const progress = (): void => deps.onProgress(acts.value.filter((act) => keys.has(keyOf(act))));
    progress();
    const left = [...waiting];
    const next = async (): Promise<void> => {
      for (let act = left.shift(); act !== undefined; act = left.shift()) await send(act);
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    progress();
  }

  /** Offers the claims, except those that are being offered already. */
  async function offerEach(offered: readonly Pick<Act, 'claim' | 'adjuster'>[]): Promise<void> {
    const isSending = (id: string) =>
      acts.value.some(({ claim, state }) => claim.id === id && state === 'sending');
    const started = offered
      .filter(({ claim }) => !isSending(claim.id))
      .map(({ claim, adjuster }): Act => ({ claim, adjuster, state: 'sending' }));
    const ids = new Set(started.map(({ claim }) => claim.id));
    acts.value = [...acts.value.filter(({ claim }) => !ids.has(claim.id)), ...started];
    await sendAll(started);
  }

  /** The plan is over once each of its offers has an outcome. */
  function endPlan(): void {
    const ids = new Set(draft.value?.plan?.map(({ claim }) => claim.id));
    const isOpen = acts.value.some(
      ({ claim, state }) => ids.has(claim.id) && (state === 'sending' || state === 'unknown'),
    );
    if (ids.size > 0 && !isOpen) draft.value = undefined;
  }

  return {
    ...{ acts, draft },
    /** Makes the offers of the plan. */
    async offerPlan(offered: Parameters<typeof offerEach>[0]): Promise<void> {
      await offerEach(offered);
      endPlan();
    },
    /** Whether offers of the plan were started in this page. */
    isPlanStarted: computed(() => {
      const ids = new Set(draft.value?.plan?.map(({ claim }) => claim.id));
      return acts.value.some(({ claim }) => ids.has(claim.id));
    }),
    prepare(from: OfferDraft['from'], claims: readonly Pick<OfferedClaim, 'id'>[]): void {
      draft.value = { from, ids: claims.map(({ id }) => id), typed: '' };
    },
    offer: (claims: readonly OfferedClaim[], adjuster: Act['adjuster']): Promise<void> =>
      offerEach(claims.map((claim) => ({ claim, adjuster }))),
    /** Sends those again whose outcome is unknown, each with the key it had. */
    async retry(): Promise<void> {
      const unknown = acts.value.filter(({ state }) => state === 'unknown');
      for (const act of unknown) replace(act, { state: 'sending' });
      await sendAll(unknown);
      endPlan();
    },
    /** Forgets what has ended. */
    dismiss(): void {
      if (draft.value?.plan !== undefined) draft.value = undefined;
      acts.value = acts.value.filter(({ state }) => state === 'sending');
    },
    forget(): void {
      draft.value = undefined;
      acts.value = [];
    },
  };
}

export const displayName = ({ name, invited_as, svc_id }: Act['adjuster']): string =>
  name ?? invited_as ?? svc_id;

/** What became of an offer. */
export function outcomeText({ state, adjuster, code = '', reason = '' }: Act, words: Texts): string {
  if (state === 'offered') return words.offer.offered(displayName(adjuster));
  if (state === 'refused')
    return code === 'claim_changed' && reason !== ''
      ? words.ofService(reason)
      : (words.refusals[code] ?? code);
  return words.offer[state];
}

/** A message on offers that are made at once: how many were made, and why others were not. */
export function outcomeOf(acts: readonly Act[], words: Texts) {
  const left = acts.filter(({ state }) => state !== 'offered');
  if (left.some(({ state }) => state === 'sending'))
    return { kind: 'neutral', lines: [words.offer.sending] } as const;
  const names = new Set(acts.map(({ adjuster }) => displayName(adjuster)));
  const lines = [
    words.offer.summary(
      acts.length - left.length,
      acts.length,
      names.size > MAX_NAMED ? words.spread.adjusters(names.size) : [...names].join(', '),
    ),
    ...left.slice(0, MAX_NAMED).map((act) => `${act.claim.claim_number}: ${outcomeText(act, words)}`),
    ...(left.length > MAX_NAMED ? [`+${left.length - MAX_NAMED}`] : []),
  ];
  return { kind: left.length > 0 ? 'error' : 'success', lines } as const;
}

export const canTake = ({ can_accept_claims, accepting_assignments }: BoardAdjuster): boolean =>
  can_accept_claims && accepting_assignments;

/** Whether the name, the SVCID and the email of an adjuster have each word. */
export function hasWords(adjuster: BoardAdjuster, typed: string): boolean {
  const text = `${displayName(adjuster)} ${adjuster.svc_id} ${adjuster.email ?? ''}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Those who take offers and have the least work first. */
export const byWork = (one: BoardAdjuster, other: BoardAdjuster): number =>
  Number(canTake(other)) - Number(canTake(one)) ||
  one.open_offers + one.open_claims - other.open_offers - other.open_claims;

const UNKNOWN_LAST = Number.POSITIVE_INFINITY;
const COMPARISONS: Readonly<Record<CandidateOrder, (one: BoardAdjuster, other: BoardAdjuster) => number>> = {
  work: () => 0,
  distance: (one, other) => compare(one.distance, other.distance),
  answer: (one, other) => compare(one.median_answer_seconds, other.median_answer_seconds),
  name: (one, other) => displayName(one).localeCompare(displayName(other)),
};
const compare = (one: number | null, other: number | null): number =>
  one === other ? 0 : (one ?? UNKNOWN_LAST) - (other ?? UNKNOWN_LAST);

/** Active adjusters that match in the order: those who take offers first, and last those who have rejected a claim. */
export function candidates(
  all: readonly BoardAdjuster[],
  typed: string,
  hasRejected: (svcId: string) => boolean = () => false,
  order: CandidateOrder = 'work',
): BoardAdjuster[] {
  return all
    .filter((one) => one.status === 'active' && hasWords(one, typed))
    .toSorted(
      (one, other) =>
        Number(hasRejected(one.svc_id)) - Number(hasRejected(other.svc_id)) ||
        Number(canTake(other)) - Number(canTake(one)) ||
        COMPARISONS[order](one, other) ||
        byWork(one, other),
    );
}
