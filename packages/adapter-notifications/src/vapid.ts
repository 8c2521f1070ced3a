import webPush from 'web-push';

/** Identifies the service to push services (RFC 8292); browsers subscribe with the public key. */
export interface Vapid {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `mailto:` or `https:`; the contact for operators of push services. */
  readonly subject: string;
}

export const createVapidKeys = (): Pick<Vapid, 'publicKey' | 'privateKey'> => webPush.generateVAPIDKeys();
