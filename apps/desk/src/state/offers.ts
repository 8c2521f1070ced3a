import { computed, signal } from '@preact/signals';
import { ApiError, needsSignIn } from '@svc/web-app/api-error';
import type { BoardAdjuster, BoardClaim, Call, ProposedOffer } from '../endpoints.ts';
import type { Texts } from '../texts/en.ts';

export type OfferedClaim = Pick<
  BoardClaim,
  'id' | 'name' | 'claim_number' | 'test' | 'updated_at' | 'status' | 'adjuster_svc_id'
> &
  Partial<Pick<BoardClaim, 'adjuster_name'>>;

export const ACT_KINDS = ['offer', 'withdraw', 'close'] as const;
export type ActKind = (typeof ACT_KINDS)[number];

/** With which claims it can be done. */
export const CAN: Readonly<
  Record<ActKind, (claim: { readonly status: string; readonly closed_at: string | null }) => boolean>
> = {
  offer: ({ status, closed_at }) => status !== 'accepted' && closed_at === null,
  withdraw: ({ status, closed_at }) => status === 'pending_acceptance' && closed_at === null,
  close: ({ closed_at }) => closed_at === null,
};

/** What is done with one claim, and what became of it. */
export interface Act {
  readonly kind: ActKind;
  readonly claim: OfferedClaim;
  /** To whom it is offered; else who has its latest offer. */
  readonly adjuster: Pick<BoardAdjuster, 'svc_id' | 'name' | 'invited_as'>;
  /** Why it is closed; may be empty. */
  readonly why?: string;
  /** `unknown`: no response arrived, and it may have been done. */
  readonly state: 'sending' | 'done' | 'refused' | 'unknown';
  /** Why it was refused: a code of the service, and its reason in English. */
  readonly code?: string;
  readonly reason?: string;
}

/** The claim as it was seen. */
type PlannedOffer = ProposedOffer & { readonly claim: Omit<OfferedClaim, 'name'> };

/** An open dialog, which a reload and the end of a session keep. */
export interface OfferDraft {
  readonly kind: ActKind;
  /** `spread`: each claim goes to one of several adjusters. */
  readonly from: 'board' | 'claim' | 'spread';
  /** Of the claims. */
  readonly ids: readonly string[];
  /** A part of the adjuster's name, or why the claims are closed. */
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
/** Of the claims with which nothing was done, this many are named in a message; the board names all. */
const MAX_NAMED = 5;

/**
 * The same for each attempt to offer a claim, as it is now, to this adjuster: a retry, a double tap, another tab and a
 * page that was loaded again cannot offer it twice. After the claim has changed, it is another act.
 */
const keyOf = ({ claim, adjuster }: Act): string => `desk/${claim.id}/${claim.updated_at}/${adjuster.svc_id}`;
const isSame = (one: Act, other: Act): boolean => one.kind === other.kind && keyOf(one) === keyOf(other);

export type Offers = ReturnType<typeof createOffers>;

export function createOffers(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  /** Called when acts are being sent, and again when each has an outcome. */
  readonly onProgress: (acts: readonly Act[]) => void;
}) {
  const acts = signal<readonly Act[]>([]);
  /** What is being prepared. */
  const draft = signal<OfferDraft | undefined>(undefined);
  const replace = (act: Act, change: Partial<Act>): void => {
    acts.value = acts.value.map((one) => (isSame(one, act) ? { ...one, ...change } : one));
  };

  async function perform(act: Act): Promise<Partial<Act>> {
    const { kind, claim, adjuster, why = '' } = act;
    const params = { id: claim.id };
    // What the person sees: the service does not take the claim from somebody who offered it since.
    const { updated_at } = claim;
    if (kind === 'close') {
      await deps.call('closeBoardClaim', { params, body: { updated_at, ...(why && { reason: why }) } });
      return { state: 'done' };
    }
    if (kind === 'withdraw') {
      const after = await deps
        .call('withdrawBoardOffer', { params, body: { updated_at } })
        .catch(async (error: unknown) => {
          // The response to an earlier attempt may have been lost.
          if (!(error instanceof ApiError) || error.code !== 'offer_not_pending') throw error;
          const { claim, history } = await deps.call('getBoardClaim', { params });
          if (history[0]?.outcome !== 'withdrawn') throw error;
          return claim;
        });
      const { status } = after.assignment;
      return { state: 'done', claim: { ...claim, status, updated_at: after.updated_at } };
    }
    const { assignment } = await deps.call('offerBoardClaim', {
      params,
      query: { environment: claim.test ? 'test' : 'live' },
      headers: { 'Idempotency-Key': keyOf(act) },
      body: { adjuster_svc_id: adjuster.svc_id, updated_at },
    });
    // A repeat returns the claim as it is by now.
    const isOurs = assignment.adjuster_svc_id === adjuster.svc_id;
    return isOurs ? { state: 'done' } : { state: 'refused', code: 'claim_changed' };
  }

  async function send(act: Act): Promise<void> {
    try {
      replace(act, await deps.request(() => perform(act)));
    } catch (error) {
      const refusal = error instanceof ApiError ? error : undefined;
      // A session that has ended says nothing about the act: it is sent again, an offer with its key.
      const { code, reason } = needsSignIn(error) ? {} : (refusal ?? {});
      replace(
        act,
        code === undefined ? { state: 'unknown' } : { state: 'refused', code, reason: reason ?? '' },
      );
    }
  }

  async function sendAll(waiting: readonly Act[]): Promise<void> {
    const ids = new Set(waiting.map(({ claim }) => claim.id));
    const progress = (): void => deps.onProgress(acts.value.filter(({ claim }) => ids.has(claim.id)));
    progress();
    const left = [...waiting];
    const next = async (): Promise<void> => {
      for (let act = left.shift(); act !== undefined; act = left.shift()) await send(act);
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    progress();
  }

  /** Except with claims for which another act is under way. */
  async function start(wanted: readonly Omit<Act, 'state'>[]): Promise<void> {
    const isSending = (id: string) =>
      acts.value.some(({ claim, state }) => claim.id === id && state === 'sending');
    const started = wanted
      .filter(({ claim }) => !isSending(claim.id))
      .map((act): Act => ({ ...act, state: 'sending' }));
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

  const holderOf = ({
    adjuster_svc_id: svc_id,
    adjuster_name: name = null,
  }: OfferedClaim): Act['adjuster'] => ({
    ...{ svc_id, name, invited_as: null },
  });
  const offerEach = (offered: readonly Pick<Act, 'claim' | 'adjuster'>[]): Promise<void> =>
    start(offered.map((each) => ({ kind: 'offer', ...each })));

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
    prepare(
      from: OfferDraft['from'],
      claims: readonly Pick<OfferedClaim, 'id'>[],
      kind: ActKind = 'offer',
    ): void {
      draft.value = { kind, from, ids: claims.map(({ id }) => id), typed: '' };
    },
    offer: (claims: readonly OfferedClaim[], adjuster: Act['adjuster']): Promise<void> =>
      offerEach(claims.map((claim) => ({ claim, adjuster }))),
    /** Withdraws the pending offers of the claims, or closes them. */
    end: (kind: 'withdraw' | 'close', claims: readonly OfferedClaim[], why: string): Promise<void> =>
      start(claims.map((claim) => ({ kind, claim, adjuster: holderOf(claim), why }))),
    /** Offers what was withdrawn to the same adjusters again. */
    undo: (): Promise<void> =>
      offerEach(
        acts.value
          .filter(({ kind, state }) => kind === 'withdraw' && state === 'done')
          .map(({ claim, adjuster }) => ({ claim, adjuster })),
      ),
    /** Sends those again whose outcome is unknown, an offer with the key it had. */
    async retry(): Promise<void> {
      const unknown = acts.value.filter(({ state }) => state === 'unknown');
      for (const act of unknown) replace(act, { state: 'sending' });
      for (const of of new Set(unknown.map(({ kind }) => kind)))
        await sendAll(unknown.filter(({ kind }) => kind === of));
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

/** What became of an act. */
export function outcomeText({ kind, state, adjuster, code = '', reason = '' }: Act, words: Texts): string {
  if (state === 'done') return words.offer.done[kind](displayName(adjuster));
  if (state === 'refused')
    return code === 'claim_changed' && reason !== ''
      ? words.ofService(reason)
      : (words.refusals[code] ?? code);
  return words.offer[state];
}

/** A message on acts of one kind that are done at once: how many were done, and why others were not. */
export function outcomeOf(acts: readonly Act[], words: Texts) {
  const left = acts.filter(({ state }) => state !== 'done');
  if (left.some(({ state }) => state === 'sending'))
    return { kind: 'neutral', lines: [words.offer.sending] } as const;
  const names = new Set(acts.map(({ adjuster }) => displayName(adjuster)));
  const lines = [
    words.offer.summaries[acts[0]?.kind ?? 'offer'](
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
