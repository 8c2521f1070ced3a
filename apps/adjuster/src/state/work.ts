import { signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { pendingWork } from '../data/storage.ts';
import { queueWork, sendPendingWork, undoQueuedWork } from '../data/work-queue.ts';
import { dateTime } from '../format.ts';
import type { ContactEntry, Edits, PendingWork } from '../model/work-edits.ts';
import { workWithPending } from '../model/work-edits.ts';
import { texts } from './language.ts';
import { lists, refresh, updateClaim } from './lists.ts';
import { session } from './session.ts';
import { showToast } from './toast.ts';

/** Own edits that the service has not confirmed yet, by claim. */
export const pending = signal<Readonly<Record<string, PendingWork>>>({});

/** Changes when entries that the service rejected were added to the stored drafts. */
export const rejections = signal(0);

export function contactLine({ at, result, note }: ContactEntry): string {
  const { contactResults } = texts.value.work;
  return `${dateTime(at)}: ${contactResults[result] ?? result}${note === undefined ? '' : ` · ${note}`}`;
}

async function readPending(): Promise<void> {
  const svcId = session.profile.value?.svc_id;
  const all = Object.entries(await pendingWork.all()).filter(([, one]) => one.svcId === svcId);
  pending.value = Object.fromEntries(all);
}

/** The claim with the adjuster's edits that are still on the device. */
export const withOwnEdits = (claim: AppClaim): AppClaim => ({
  ...claim,
  work: workWithPending(claim.work, pending.value[claim.id]),
});

/** Stores edits on the device and sends them, now or when there is a network. */
export async function saveWork(claimId: string, edits: Edits): Promise<'saved' | 'waiting' | 'rejected'> {
  const svcId = session.profile.value?.svc_id;
  if (svcId === undefined) return 'waiting';
  await queueWork(claimId, svcId, edits);
  await readPending();
  const { rejectedIds } = await sendWork();
  if (rejectedIds.includes(claimId)) return 'rejected';
  return pending.value[claimId] === undefined ? 'saved' : 'waiting';
}

/** False when the edits may have been sent before they could be removed. */
export async function undoWork(claimId: string, edits: Edits): Promise<boolean> {
  const undone = await undoQueuedWork(claimId, edits);
  await readPending();
  return undone;
}

export async function sendWork(): Promise<{ readonly rejectedIds: readonly string[] }> {
  await readPending();
  if (Object.keys(pending.value).length === 0) return { rejectedIds: [] };
  const { rejectedIds, offline } = await sendPendingWork(updateClaim, contactLine);
  if (offline) session.reachable.value = false;
  await readPending();
  if (rejectedIds.length > 0) {
    rejections.value += 1;
    showToast(texts.value.work.refused, 'error');
    void refresh();
  }
  return { rejectedIds };
}

lists.onCurrent.push(() => void sendWork().catch(() => {}));
session.onForget.push(() => {
  pending.value = {};
});
