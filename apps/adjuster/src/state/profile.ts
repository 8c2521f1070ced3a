import type { Profile, ProfileField } from '@svc/contract';
import { ApiError, call } from '../data/api.ts';
import { refresh } from './lists.ts';
import { request } from './session.ts';

/** @throws {ApiError} with the fields that are invalid. */
export async function saveProfile(changes: Partial<Record<ProfileField, string>>): Promise<Profile> {
  const profile = await request(() => call<Profile>('PATCH', 'v1/me', changes));
  // A first address that another account has is not stored, and no code is sent to it.
  if (changes.email !== undefined && profile.email === null) {
    // The other fields were stored.
    await refresh();
    throw new ApiError(422, 'validation_failed', ['email']);
  }
  return profile;
}
