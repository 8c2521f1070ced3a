import type { AppClaim } from '@svc/contract';
import {
  type ContactEntry,
  canUndo,
  type Edits,
  emptyPendingWork,
  hasEntries,
  isDelayed,
  mergePending,
  type PendingWork,
  rejectedEntries,
  remainingPending,
  requestBody,
} from '../model/work-edits.ts';
import { ApiError, call, NetworkError, needsSignIn } from './api.ts';
import { pendingWork, storage } from './storage.ts';
import { withLock } from './with-lock.ts';

export const queueWork = (claimId: string, svcId: string, edits: Edits): Promise<void> =>
  pendingWork.update(claimId, (pending = emptyPendingWork(svcId)) => mergePending(pending, edits));

/** Removes edits. False when they may have been sent before they could be removed. */
export const undoQueuedWork = (claimId: string, edits: Edits): Promise<boolean> =>
  withLock('work', async () => {
    let undone = false;
    await pendingWork.update(claimId, (pending) => {
      if (pending === undefined || !canUndo(pending, edits, Date.now())) return pending;
      undone = true;
      return remainingPending(pending, edits);
    });
    return undone;
  });

export interface SentWork {
  /** Claims whose edits the service rejected: the claim is closed or someone else's now, or its contact log is full. */
  readonly rejectedIds: readonly string[];
  readonly offline: boolean;
}

/**
 * Sends everything that waits. The entries come before the closing, after which nothing can be changed. Each claim is
 * stored by `store` before the edits it contains are removed, since the page may be closed in between.
 */
export const sendPendingWork = (
  store: (claim: AppClaim) => void,
  lineOf: (contact: ContactEntry) => string,
): Promise<SentWork> =>
  withLock('work', async () => {
    const svcId = (await storage.get('profile'))?.svc_id;
    const rejectedIds: string[] = [];
    for (const [id, pending] of Object.entries(await pendingWork.all())) {
      if (pending.svcId !== svcId || isDelayed(pending, Date.now())) continue;
      try {
        await sendOne(id, pending, store);
      } catch (error) {
        if (error instanceof NetworkError || needsSignIn(error))
          return { rejectedIds, offline: error instanceof NetworkError };
        if (!(error instanceof ApiError)) throw error;
        rejectedIds.push(id);
        const [left, typed, accepted] = [
          (await pendingWork.all())[id] ?? pending,
          await storage.get(`draft:${id}`),
          await storage.get('accepted'),
        ];
        const saved = accepted?.find((claim) => claim.id === id)?.work.notes;
        await storage.put(`draft:${id}`, rejectedEntries(left, typed, saved, lineOf));
        // Edits queued since then wait for the next attempt.
        await pendingWork.update(id, (current) => current && remainingPending(current, left));
      }
    }
    return { rejectedIds, offline: false };
  });

async function sendOne(id: string, pending: PendingWork, store: (claim: AppClaim) => void): Promise<void> {
  const confirm = (sent: Edits) =>
    pendingWork.update(id, (current) => current && remainingPending(current, sent));
  if (hasEntries(pending.entries)) {
    store(await call<AppClaim>('PATCH', `v1/claims/${id}/work`, requestBody(pending.entries)));
    await confirm({ entries: pending.entries });
  }
  for (const contact of pending.contacts) {
    const { id: contactId, ...body } = contact;
    store(await call<AppClaim>('PUT', `v1/claims/${id}/contacts/${contactId}`, body));
    await confirm({ contacts: [contact] });
  }
  if (pending.close) {
    store(await call<AppClaim>('POST', `v1/claims/${id}/closure`));
    await confirm({ close: true });
  }
}
