import { ClaimsApiError, ClaimsError, maybeProcessed } from './errors.ts';
import { contentKey, hasContentOf } from './same-content.ts';
import { type CallOptions, checkedConcurrency } from './transport.ts';
import type { Claim, NewClaim } from './wire.ts';

export type NewClaims = Iterable<NewClaim> | AsyncIterable<NewClaim>;

export interface SendManyOptions extends CallOptions {
  /** Maximum claims in flight, 10 by default. */
  readonly concurrency?: number | undefined;
  /** By default derived from the content of the claim, so that sending the same claims again creates none twice. */
  readonly idempotencyKey?: ((claim: NewClaim, index: number) => string | Promise<string>) | undefined;
}

interface Item {
  /** Position in the input, from 0. */
  readonly index: number;
  readonly request: NewClaim;
}

/** `already_sent`: an earlier call sent the same content. */
export type SendOutcome =
  | (Item & { readonly status: 'sent' | 'already_sent'; readonly claim: Claim })
  | (Item & { readonly status: 'failed'; readonly error: ClaimsError });

interface Sender {
  send(claim: NewClaim, options: CallOptions & { readonly idempotencyKey: string }): Promise<Claim>;
  get(id: string, options: CallOptions): Promise<Claim>;
}

type Event =
  | { readonly taken: IteratorResult<NewClaim> }
  | { readonly outcome: SendOutcome | undefined }
  | 'canceled';

export async function* sendMany(
  sender: Sender,
  claims: NewClaims,
  options: SendManyOptions,
): AsyncGenerator<SendOutcome, void, undefined> {
  const { concurrency, idempotencyKey = contentKey, signal, ...callOptions } = options;
  const maxInFlight = checkedConcurrency('concurrency', concurrency) ?? 10;
  // One per call: more than ten listeners on one signal are reported as a leak.
  const calls = new Set<AbortController>();
  let isCanceled = false;
  let reportCanceled: (event: Event) => void = () => {};
  const canceled = new Promise<Event>((resolve) => {
    reportCanceled = resolve;
  });
  const cancel = () => {
    isCanceled = true;
    for (const call of calls) call.abort(signal?.reason);
    reportCanceled('canceled');
  };
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  const source = iteratorOf(claims);
  const inFlight: Promise<Event>[] = [];
  let taking: Promise<Event> | undefined;
  let isExhausted = false;
  /** An error that would be the same for every claim. */
  let failure: { readonly error: unknown } | undefined;

  async function sendOne(request: NewClaim, index: number): Promise<Event> {
    const item = { index, request };
    const call = new AbortController();
    calls.add(call);
    let isReplay = false;
    let maybeSent = false;
    try {
      const claim = await sender.send(request, {
        ...callOptions,
        signal: call.signal,
        idempotencyKey: await idempotencyKey(request, index),
        onResponse(event) {
          isReplay = event.replayed;
          callOptions.onResponse?.(event);
        },
        onRetry(event) {
          // A replay may then be of this call's own earlier attempt.
          maybeSent ||= maybeProcessed(event.error);
          callOptions.onRetry?.(event);
        },
      });
      return { outcome: { ...item, status: isReplay && !maybeSent ? 'already_sent' : 'sent', claim } };
    } catch (error) {
      // A canceled call has no outcome: the claim may have been sent.
      if (isCanceled) return { outcome: undefined };
      const claim = await earlierClaim(request, error, call.signal);
      if (claim !== undefined) return { outcome: { ...item, status: 'already_sent', claim } };
      if (!concernsOneClaim(error)) failure ??= { error };
      return { outcome: error instanceof ClaimsError ? { ...item, status: 'failed', error } : undefined };
    } finally {
      calls.delete(call);
    }
  }

  /** After 24 hours, when idempotency keys expire, the existing claim may be from an earlier call. */
  async function earlierClaim(
    request: NewClaim,
    error: unknown,
    signal: AbortSignal,
  ): Promise<Claim | undefined> {
    if (!(error instanceof ClaimsApiError) || error.existingClaimId === null) return undefined;
    const stored = await sender.get(error.existingClaimId, { ...callOptions, signal }).catch(() => undefined);
    return stored !== undefined && hasContentOf(stored, request) ? stored : undefined;
  }

  try {
    for (let index = 0; ; ) {
      const mayTake = !isExhausted && failure === undefined && !isCanceled;
      if (mayTake && inFlight.length < maxInFlight) {
        taking ??= source.next().then((taken) => ({ taken }));
      }
      const [first] = inFlight;
      const events = [...(mayTake && taking ? [taking, canceled] : []), ...(first ? [first] : [])];
      if (events.length === 0) break;
      const event = await Promise.race(events);
      if (event === 'canceled') continue;
      if ('taken' in event) {
        taking = undefined;
        if (event.taken.done) isExhausted = true;
        else inFlight.push(sendOne(event.taken.value, index++));
      } else {
        inFlight.shift();
        if (event.outcome !== undefined) yield event.outcome;
      }
    }
    signal?.throwIfAborted();
    if (failure !== undefined) throw (failure as { error: unknown }).error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
    // A source that is waiting for its next claim would not return before it.
    if (!isExhausted && taking === undefined) await source.return?.();
  }
}

function iteratorOf(claims: NewClaims): {
  next(): Promise<IteratorResult<NewClaim>>;
  return?: () => Promise<unknown>;
} {
  const iterator =
    Symbol.asyncIterator in claims ? claims[Symbol.asyncIterator]() : claims[Symbol.iterator]();
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.(),
  };
}

/** Other errors, such as an invalid key or an unavailable service, would fail every claim. */
const concernsOneClaim = (error: unknown): boolean =>
  error instanceof ClaimsApiError && [400, 408, 409, 413, 422, 425].includes(error.status);
