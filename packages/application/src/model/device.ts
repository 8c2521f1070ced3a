import type { DevicePreferences, Instant, Svcid } from '@svc/domain';

/** W3C PushSubscription of a browser or phone. */
export interface PushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** A device that an adjuster has registered for notifications. */
export interface RegisteredDevice {
  readonly deviceId: string;
  readonly subscription: PushSubscription;
  readonly preferences: DevicePreferences | null;
}

/** What a registered device wants, and when its next reminder of deadlines is queued; null: none is. */
export interface DeviceState {
  readonly preferences: DevicePreferences | null;
  readonly reminderAt: Instant | null;
}

export interface Device {
  readonly svcId: Svcid;
  readonly deviceId: string;
  /** Token hash of the session that registered it: without this session it gets no notifications. */
  readonly sessionHash: string;
  readonly subscription: PushSubscription;
  readonly registeredAt: Instant;
}
