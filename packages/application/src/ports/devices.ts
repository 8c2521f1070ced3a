import type { Svcid } from '@svc/domain';
import type { Device, DeviceState } from '../model/device.ts';

export interface Devices {
  /** Adds or replaces a device, and removes any other one, of any account, with the same push endpoint. */
  put(device: Device): Promise<void>;
  /** Removes all but the devices registered last. */
  keepLatest(svcId: Svcid, count: number): Promise<void>;
  /** Locks a registered device until the transaction ends. */
  lock(svcId: Svcid, deviceId: string): Promise<DeviceState | null>;
  /** The caller has locked the device. */
  saveState(svcId: Svcid, deviceId: string, state: DeviceState): Promise<void>;
  remove(svcId: Svcid, deviceId: string): Promise<void>;
}
