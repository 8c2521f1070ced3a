import { type Claim, type ClaimId, DomainError, HOUR, type Instant } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { ClaimView } from '../model/claim-views.ts';
import {
  IDEMPOTENCY_WINDOW_MS,
  type IdempotencySlot,
  type KeyedRequest,
  type KeyedResult,
} from '../model/idempotency.ts';
import type { Needs } from '../ports/needs.ts';

export interface IdempotentRequest {
  readonly idempotencyKey: string;
  readonly fingerprint: string;
}

export interface IdempotentResult {
  readonly claim: ClaimView;
  /** True when an earlier request with this key created the result; the claim is then shown in its current state. */
  readonly replayed: boolean;
}

/** The requests of this process that run, by the key they bring. */
export type RunningKeys = Map<string, { readonly fingerprint: string; requests: number }>;

export type IdempotentDeps = Needs<'usedKeys' | 'firmReads' | 'clock'> & {
  readonly runningKeys: RunningKeys;
};

/**
 * Runs a request at most once per Idempotency-Key; a repeat returns the claim of the first run. A different request with
 * the key is rejected, also while the first one runs in this process; another process waits, and decides by its result.
 * @param execute returns the claim as saved together with the key, or the result that was bound to the key before.
 */
export async function executeIdempotently(
  deps: IdempotentDeps,
  { firmId, environment }: FirmActor,
  { idempotencyKey, fingerprint }: IdempotentRequest,
  execute: (request: KeyedRequest) => Promise<Claim | KeyedResult>,
): Promise<IdempotentResult> {
  const slot: IdempotencySlot = { firmId, environment, key: idempotencyKey };
  const id = JSON.stringify(slot);
  const running = deps.runningKeys.get(id) ?? { fingerprint, requests: 0 };
  if (running.fingerprint !== fingerprint) {
    const replayed = await boundResult(deps, slot, fingerprint, deps.clock.now());
    if (replayed === null) throw reusedKey();
    return replayed;
  }
  running.requests += 1;
  deps.runningKeys.set(id, running);
  try {
    return await replayOrExecute(deps, slot, fingerprint, execute);
  } finally {
    running.requests -= 1;
    if (running.requests === 0) deps.runningKeys.delete(id);
  }
}

/** The claim of an earlier request with this key; throws when that request was a different one. */
async function boundResult(
  { firmReads }: IdempotentDeps,
  slot: IdempotencySlot,
  fingerprint: string,
  at: Instant,
): Promise<IdempotentResult | null> {
  const bound = await firmReads.boundClaim(slot, at);
  if (bound === null) return null;
  replayOf({ fingerprint: bound.fingerprint, claimId: bound.claim.id }, fingerprint);
  return { claim: bound.claim, replayed: true };
}

async function replayOrExecute(
  deps: IdempotentDeps,
  slot: IdempotencySlot,
  fingerprint: string,
  execute: (request: KeyedRequest) => Promise<Claim | KeyedResult>,
): Promise<IdempotentResult> {
  const { firmReads, usedKeys } = deps;
  const at = deps.clock.now();
  const bound = (await usedKeys.has(slot)) ? await boundResult(deps, slot, fingerprint, at) : null;
  if (bound !== null) return bound;
  const result = await execute({ slot, fingerprint, at });
  usedKeys.add(slot);
  if (!('replayed' in result)) return { claim: result, replayed: false };
  const { claimId, replayed } = result;
  const claim = await firmReads.claim(slot.firmId, slot.environment, claimId);
  if (claim === null) throw new Error(`Idempotency-Key refers to claim ${claimId}, which does not exist`);
  return { claim, replayed };
}

/**
 * The result of an earlier request with this key; throws when that request was a different one.
 *
 * @param bound what the key was used for within the window that ends now.
 */
export function replayOf(
  bound: { readonly fingerprint: string; readonly claimId: ClaimId } | null,
  fingerprint: string,
): KeyedResult | null {
  if (bound === null) return null;
  if (bound.fingerprint !== fingerprint) throw reusedKey();
  return { claimId: bound.claimId, replayed: true };
}

const reusedKey = (): DomainError =>
  new DomainError(
    'idempotency_key_reused',
    `This Idempotency-Key was used in the last ${IDEMPOTENCY_WINDOW_MS / HOUR} hours for a different request.`,
  );
