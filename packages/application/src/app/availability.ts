import {
  ALWAYS_AVAILABLE,
  type Availability,
  type DevicePreferences,
  existing,
  nextLocalTime,
  REMINDER_TIME,
  SIGN_IN_LIMITS,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import { recordOwnAction } from '../audit/events.ts';
import { existingAccount } from '../auth/accounts.ts';
import { countAttempt } from '../auth/attempt-counters.ts';
import { TooManyAttempts } from '../errors/too-many-attempts.ts';
import type { DeviceState } from '../model/device.ts';
import { isSameContent } from '../model/same-content.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';

type Deps = Needs<'uow' | 'clock'>;

/** Changes when the adjuster takes new offers of any firm. Offers already made can still be accepted. */
export const makeSetAvailability =
  (deps: Deps) =>
  (actor: AdjusterActor, changes: Partial<Availability>): Promise<Availability> =>
    deps.uow.run(async (tx) => {
      const adjuster = existingAccount(await tx.adjusters.lock(actor.svcId));
      const before = { ...ALWAYS_AVAILABLE, ...adjuster.availability };
      const availability = { ...before, ...changes };
      if (isSameContent(availability, before)) return before;
      await tx.adjusters.saveAvailability(actor.svcId, availability);
      await recordOwnAction(tx, deps, actor, 'availability.change');
      return availability;
    });

async function lockDevice(tx: Tx, { svcId }: AdjusterActor, deviceId: string): Promise<DeviceState> {
  return existing(await tx.devices.lock(svcId, deviceId), 'This device is not registered.');
}

/** Sets quiet hours and reminders of a registered device, and queues its next reminder. */
export const makeSetDevicePreferences =
  (deps: Deps) =>
  (actor: AdjusterActor, deviceId: string, preferences: DevicePreferences): Promise<void> =>
    deps.uow.run(async (tx) => {
      const before = await lockDevice(tx, actor, deviceId);
      const { svcId } = actor;
      const reminderAt = preferences.deadlineReminders
        ? nextLocalTime(deps.clock.now(), REMINDER_TIME, preferences.timeZone)
        : null;
      await tx.devices.saveState(svcId, deviceId, { preferences, reminderAt });
      // A job of another time finds that it is not the device's next one, and ends.
      if (reminderAt !== null && reminderAt !== before.reminderAt)
        await tx.outbox.add({ kind: 'remind_deadlines', svcId, deviceId, at: reminderAt }, reminderAt);
    });

/** Sends a notification to one of the adjuster's devices, every ten seconds at most. */
export const makeTestDevice =
  (deps: Deps & Needs<'secrets'>) =>
  (actor: AdjusterActor, deviceId: string): Promise<void> =>
    deps.uow.run(async (tx) => {
      await lockDevice(tx, actor, deviceId);
      const { svcId } = actor;
      const { hashOfSubject } = deps.secrets;
      const pauseMs = await countAttempt(tx, deps.clock.now(), [
        {
          limit: SIGN_IN_LIMITS.testNotificationsPerDevice,
          subject: hashOfSubject('test notifications of device', svcId, deviceId),
        },
        {
          limit: SIGN_IN_LIMITS.testNotificationsPerAccount,
          subject: hashOfSubject('test notifications of account', svcId),
        },
      ]);
      if (pauseMs > 0)
        throw new TooManyAttempts(pauseMs, 'A device gets one test notification in ten seconds.');
      await tx.outbox.add({ kind: 'notify_test', svcId: actor.svcId, only: `device:${deviceId}` });
    });
