import type { Availability } from '@svc/contract';
import type { DevicePreferences } from '@svc/domain';

/** When the adjuster takes offers, and what this device wants of notifications; the latest value of each counts. */
export interface SettingChanges extends Partial<Availability> {
  readonly device?: Omit<DevicePreferences, 'timeZone'>;
}

/** Changed on this device and not yet confirmed by the service. */
export interface PendingSettings {
  readonly svcId: string;
  readonly changes: SettingChanges;
}

/** Adds later changes. Those of another adjuster are dropped. */
export const mergedSettings = (
  before: PendingSettings | undefined,
  svcId: string,
  changes: SettingChanges,
): PendingSettings => ({
  svcId,
  changes: { ...(before?.svcId === svcId && before.changes), ...changes },
});

/** What still waits after these changes are settled: a setting that was changed again in between stays. */
export function remainingSettings(
  now: PendingSettings | undefined,
  settled: SettingChanges,
): PendingSettings | undefined {
  const left = Object.entries(now?.changes ?? {}).filter(
    ([name, value]) => JSON.stringify(settled[name as keyof SettingChanges]) !== JSON.stringify(value),
  );
  return now === undefined || left.length === 0 ? undefined : { ...now, changes: Object.fromEntries(left) };
}

/** The availability as it will be once everything that waits has arrived. */
export function availabilityWith(saved: Availability, { device, ...changes }: SettingChanges): Availability {
  return { ...saved, ...changes };
}
