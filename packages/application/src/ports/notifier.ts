import type { ChannelChoice, Delivery, Notification, Recipient } from '../model/notification.ts';

export interface Notifier {
  /** Sends the notification over every channel, or only over those given. */
  notify(
    recipient: Recipient,
    notification: Notification,
    channels?: ChannelChoice,
  ): Promise<readonly Delivery[]>;
}
