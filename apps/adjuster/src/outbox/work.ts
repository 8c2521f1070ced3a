import type { AppClaim } from '@svc/contract';
import type { Call } from '../data/endpoints.ts';
import { isRefusal } from '../model/api-error.ts';
import { requestBody } from '../model/work-edits.ts';
import type { Handler, WorkContent } from './entry.ts';

export interface WorkApi {
  readonly call: Call;
  /** Shows and stores the claim as the service has it. */
  storeClaim(claim: AppClaim): Promise<void>;
  /** Adds edits that were not accepted to what is typed. */
  keepAsDraft(edits: WorkContent): Promise<void>;
}

export const workHandler: Handler<WorkContent, WorkApi> = {
  async send({ key, entries, contact, close = false }, { call, storeClaim }) {
    try {
      if (entries !== undefined)
        await storeClaim(await call('updateWork', { params: { id: key }, body: requestBody(entries) }));
      if (contact !== undefined) {
        const { id, ...body } = contact;
        await storeClaim(await call('logContact', { params: { id: key, contact_id: id }, body }));
      }
      if (close) await storeClaim(await call('closeClaim', { params: { id: key } }));
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  },
  dropped: (entry, api) => api.keepAsDraft(entry),
  merge(entry, next) {
    const isMergeable = [entry, next].every(({ contact, close }) => contact === undefined && close !== true);
    return isMergeable ? { ...next, entries: { ...entry.entries, ...next.entries } } : undefined;
  },
};
