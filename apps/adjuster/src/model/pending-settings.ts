import type { Availability } from '@svc/contract';
import type { DevicePreferences } from '@svc/domain';

/** The adjuster's availability and this device's notification preferences; a later value replaces an earlier one. */
export interface SettingChanges extends Partial<Availability> {
  readonly device?: Omit<DevicePreferences, 'timeZone'>;
}

/** Changed on this device and not yet confirmed by the service. */
export interface PendingSettings {
  readonly svcId: string;
  readonly changes: SettingChanges;
}

/** Adds later changes. Those of another adjuster are dropped. */
export const mergeSettings = (
  pending: PendingSettings | undefined,
  svcId: string,
  changes: SettingChanges,
): PendingSettings => ({
  svcId,
  changes: { ...(pending?.svcId === svcId && pending.changes), ...changes },
});

/** What still waits after these changes were confirmed or rejected: a setting that has changed since stays. */
export function remainingSettings(
  pending: PendingSettings | undefined,
  sent: SettingChanges,
): PendingSettings | undefined {
  const left = Object.entries(pending?.changes ?? {}).filter(
    ([name, value]) => JSON.stringify(sent[name as keyof SettingChanges]) !== JSON.stringify(value),
  );
  return pending === undefined || left.length === 0
    ? undefined
    : { ...pending, changes: Object.fromEntries(left) };
}

/** The availability with all pending changes applied. */
export function availabilityWith(saved: Availability, { device, ...changes }: SettingChanges): Availability {
  return { ...saved, ...changes };
}
