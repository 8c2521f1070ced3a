import type { AppClaim } from '@svc/contract';
import type { Call } from '../data/endpoints.ts';
import { requestBody, type WorkEntries } from '../model/work-edits.ts';
import type { Handler, WorkContent } from './entry.ts';

export const workHandler = (api: {
  readonly call: Call;
  /** Shows and stores the claim as the service has it. */
  updateClaim(claim: AppClaim): void;
  /** Removes entries that the service has saved from what is typed. */
  entriesSaved(claimId: string, entries: WorkEntries): Promise<void>;
  /** Adds edits that were not accepted to what is typed. */
  keepAsDraft(edits: WorkContent): Promise<void>;
}): Handler<WorkContent> => ({
  async send({ key: id, entries, contact, close = false }) {
    if (entries !== undefined) {
      api.updateClaim(await api.call('updateWork', { params: { id }, body: requestBody(entries) }));
      await api.entriesSaved(id, entries);
    }
    if (contact !== undefined) {
      const { id: contact_id, ...body } = contact;
      api.updateClaim(await api.call('logContact', { params: { id, contact_id }, body }));
    }
    if (close) api.updateClaim(await api.call('closeClaim', { params: { id } }));
  },
  dropped: api.keepAsDraft,
  merge(entry, next) {
    const isMergeable = [entry, next].every(({ contact, close }) => contact === undefined && close !== true);
    return isMergeable ? { ...next, entries: { ...entry.entries, ...next.entries } } : undefined;
  },
});
