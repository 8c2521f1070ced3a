import type { CalendarDate, ClaimId, DeliveryOutcome, FirmId, Svcid } from '@svc/domain';
import type { Secrets } from '../ports/secrets.ts';
import type { RegisteredDevice } from './device.ts';

/**
 * Content of a notification. It appears on lock screens, so it names the firm but never the policyholder, the address
 * or the policy.
 */
export type Notification =
  | { readonly kind: 'offer'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'offer_withdrawn'; readonly firmName: string; readonly claimId: ClaimId }
  | {
      readonly kind: 'invitation';
      readonly firmName: string;
      readonly firmId: FirmId;
      readonly isReminder: boolean;
    }
  | { readonly kind: 'deadlines'; readonly count: number }
  | { readonly kind: 'credentials'; readonly expiresOn: CalendarDate }
  | { readonly kind: 'test' };

/** Email, or one device by its id. */
export type Channel = 'mail' | `device:${string}`;

/** For records that firms and carriers read: ids of devices stay in the service. */
export const pushChannel = (channel: Channel, secrets: Pick<Secrets, 'hashOfSubject'>): string =>
  channel === 'mail' ? channel : secrets.hashOfSubject('push', channel).slice(0, 12);

export interface ChannelChoice {
  readonly only?: Channel | undefined;
  readonly except?: readonly Channel[];
}

export interface Recipient {
  readonly svcId: Svcid;
  readonly devices: readonly RegisteredDevice[];
}

export interface Delivery {
  readonly channel: Channel;
  readonly outcome: DeliveryOutcome;
}

/** Whether a later attempt may succeed. */
export const isRetried = ({ outcome }: Delivery): boolean =>
  outcome === 'retried' || outcome === 'unauthorized';
