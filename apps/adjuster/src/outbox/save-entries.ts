import type { AppClaim, LIMITS } from '@svc/contract';
import { ApiError, NetworkError } from '@svc/web-app/api-error';
import type { Call } from '../data/endpoints.ts';
import { mergedEntries, withoutOwn } from '../model/merge-edits.ts';
import { requestBody, WORK_FIELDS, type WorkEntries, type WorkField } from '../model/work-edits.ts';
import type { WorkContent } from './entry.ts';

const MAX_NOTES_LENGTH: (typeof LIMITS)['workNotes']['max'] = 4000;
/** Another device does not save more often than this between two requests. */
const MAX_ATTEMPTS = 5;

export interface EntriesApi {
  readonly call: Call;
  /** As the service last sent it. */
  workOf(claimId: string): AppClaim['work'] | undefined;
  labelOf(field: WorkField): string;
  /** Another device had changed the same entries, and both are saved. */
  merged(claimId: string): void;
  /** Shows and stores the claim as the service has it. */
  updateClaim(claim: AppClaim): void;
}

/** Saves them on the work that they were made from, else together with what another device has saved since. */
export async function saveEntries(
  api: EntriesApi,
  id: string,
  {
    entries,
    base = {},
    earlier = [],
  }: Pick<WorkContent, 'base' | 'earlier'> & { readonly entries: WorkEntries },
): Promise<void> {
  const params = { id };
  let work = api.workOf(id) ?? (await api.call('getOfferedClaim', { params })).work;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const merged = mergedEntries(entries, withoutOwn(work, base, earlier), work, api.labelOf);
    if (merged !== entries && (merged.notes ?? '').length > MAX_NOTES_LENGTH)
      throw new ApiError(409, 'work_changed');
    try {
      const body = requestBody(merged);
      const claim = await api.call('updateWork', { params, body: { ...body, based_on: work.version } });
      // A proxy may respond with the claim as it was before.
      if (
        !WORK_FIELDS.every(
          (field) => body[field] === undefined || body[field] === (claim.work[field] ?? null),
        )
      )
        throw new NetworkError();
      api.updateClaim(claim);
      if (merged !== entries) api.merged(id);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'work_changed') throw error;
      work = (await api.call('getOfferedClaim', { params })).work;
    }
  }
  throw new NetworkError('service');
}
