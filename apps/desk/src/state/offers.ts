import { signal } from '@preact/signals';
import { ApiError } from '@svc/web-app/api-error';
import type { BoardAdjuster, BoardClaim, Call } from '../endpoints.ts';

export type OfferedClaim = Pick<BoardClaim, 'id' | 'name' | 'claim_number' | 'test' | 'updated_at'>;

/** An offer of one claim to one adjuster, and what became of it. */
export interface Act {
  readonly claim: OfferedClaim;
  readonly adjuster: Pick<BoardAdjuster, 'svc_id' | 'name'>;
  /** `unknown`: no response arrived, and the offer may have been made. */
  readonly state: 'sending' | 'offered' | 'refused' | 'unknown';
  /** Why it was refused: a code of the service. */
  readonly code?: string;
}

const PARALLEL = 4;

/**
 * The same for each attempt to offer a claim, as it is now, to this adjuster: a retry, a double tap, another tab and a
 * page that was loaded again cannot offer it twice. After the claim has changed, it is another act.
 */
const keyOf = ({ claim, adjuster }: Act): string => `desk/${claim.id}/${claim.updated_at}/${adjuster.svc_id}`;

export type Offers = ReturnType<typeof createOffers>;

export function createOffers(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  /** Called when claims were offered, so that they are shown as they are now. */
  readonly onOffered: () => void;
}) {
  const acts = signal<readonly Act[]>([]);
  const replace = (act: Act, change: Partial<Act>): void => {
    acts.value = acts.value.map((one) => (keyOf(one) === keyOf(act) ? { ...one, ...change } : one));
  };

  async function send(act: Act): Promise<void> {
    const { claim, adjuster } = act;
    const parts = {
      params: { id: claim.id },
      query: { environment: claim.test ? 'test' : 'live' },
      headers: { 'Idempotency-Key': keyOf(act) },
      body: { adjuster_svc_id: adjuster.svc_id },
    } as const;
    try {
      await deps.request(() => deps.call('offerBoardClaim', parts));
      replace(act, { state: 'offered' });
    } catch (error) {
      replace(act, error instanceof ApiError ? { state: 'refused', code: error.code } : { state: 'unknown' });
    }
  }

  async function sendAll(waiting: readonly Act[]): Promise<void> {
    const left = [...waiting];
    const next = async (): Promise<void> => {
      for (let act = left.shift(); act !== undefined; act = left.shift()) await send(act);
    };
    await Promise.all(Array.from({ length: PARALLEL }, next));
    deps.onOffered();
  }

  return {
    acts,
    /** Offers the claims, except those that are being offered already. */
    async offer(claims: readonly OfferedClaim[], adjuster: Act['adjuster']): Promise<void> {
      const isSending = (id: string) =>
        acts.value.some(({ claim, state }) => claim.id === id && state === 'sending');
      const started = claims
        .filter(({ id }) => !isSending(id))
        .map((claim): Act => ({ claim, adjuster, state: 'sending' }));
      const ids = new Set(started.map(({ claim }) => claim.id));
      acts.value = [...acts.value.filter(({ claim }) => !ids.has(claim.id)), ...started];
      await sendAll(started);
    },
    /** Sends those again whose outcome is unknown, each with the key it had. */
    async retry(): Promise<void> {
      const unknown = acts.value.filter(({ state }) => state === 'unknown');
      for (const act of unknown) replace(act, { state: 'sending' });
      await sendAll(unknown);
    },
    /** Forgets what has ended. */
    dismiss(): void {
      acts.value = acts.value.filter(({ state }) => state === 'sending');
    },
    forget(): void {
      acts.value = [];
    },
  };
}

export const canTake = ({ can_accept_claims, accepting_assignments }: BoardAdjuster): boolean =>
  can_accept_claims && accepting_assignments;

/** Active adjusters that match, those who take offers and have the least work first. */
export function candidates(all: readonly BoardAdjuster[], typed: string, isTest: boolean): BoardAdjuster[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return all
    .filter(({ status, test }) => status === 'active' && test === isTest)
    .filter(({ svc_id, name }) => {
      const text = `${name ?? ''} ${svc_id}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted(
      (one, other) =>
        Number(canTake(other)) - Number(canTake(one)) ||
        one.open_offers + one.open_claims - other.open_offers - other.open_claims,
    );
}
