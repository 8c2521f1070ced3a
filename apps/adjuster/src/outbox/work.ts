import type { AppClaim } from '@svc/contract';
import { NetworkError } from '@svc/web-app/api-error';
import { loadOnce } from '@svc/web-app/load-once';
import type { WorkEntries } from '../model/work-edits.ts';
import type { Handler, WorkContent } from './entry.ts';
import type { EntriesApi } from './save-entries.ts';

/** Not part of the first load. */
const loadSaving = loadOnce(() => import('./save-entries.ts'));

export const workHandler = (
  api: EntriesApi & {
    /** Removes entries that the service has saved from what is typed. */
    entriesSaved(claimId: string, entries: WorkEntries): Promise<void>;
    /** Adds edits that were not accepted to what is typed. */
    keepAsDraft(edits: WorkContent): Promise<void>;
  },
): Handler<WorkContent> => {
  const show = (claim: AppClaim, isDone = false): void => {
    // A proxy may respond with the claim as it was before.
    if (!isDone) throw new NetworkError();
    api.updateClaim(claim);
  };
  return {
    async send({ key: id, entries, base, earlier, contact, close = false }) {
      if (entries !== undefined) {
        const { saveEntries } = await loadSaving().catch(() => {
          throw new NetworkError();
        });
        await saveEntries(api, id, { entries, base, earlier });
        await api.entriesSaved(id, entries);
      }
      if (contact !== undefined) {
        const { id: contact_id, ...body } = contact;
        const claim = await api.call('logContact', { params: { id, contact_id }, body });
        show(
          claim,
          claim.work.contacts?.some((one) => one.id === contact_id),
        );
      }
      if (!close) return;
      const claim = await api.call('closeClaim', { params: { id } });
      show(claim, claim.closed_at !== null);
    },
    dropped: api.keepAsDraft,
    merge(entry, next) {
      const isMergeable = [entry, next].every(
        ({ contact, close }) => contact === undefined && close !== true,
      );
      if (!isMergeable) return undefined;
      const base = { ...next.base, ...entry.base };
      const earlier = [...(entry.earlier ?? []), ...(entry.tried === true ? [entry.entries ?? {}] : [])];
      return { ...next, entries: { ...entry.entries, ...next.entries }, base, earlier };
    },
  };
};
