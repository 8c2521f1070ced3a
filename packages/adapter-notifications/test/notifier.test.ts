import { expect, test } from '@jest/globals';
import type { ChannelChoice, Notification, Recipient } from '@svc/application';
import type { ClaimId, FirmId } from '@svc/domain';
import { createNotifier, type Mail } from '../src/index.ts';

const firmName = 'Gulf';
const OFFER: Notification = { kind: 'offer', firmName, claimId: 'claim' as ClaimId };
const REMINDER: Notification = { kind: 'invitation', firmName, firmId: 'firm' as FirmId, isReminder: true };
const CREDENTIALS: Notification = { kind: 'credentials', expiresOn: '2027-04-30' };

/** To an adjuster with the devices a and b: what it mails, and what it returns. */
async function notified(notification: Notification, choice: ChannelChoice, email: string | null = 'e@x') {
  const mailed: string[] = [];
  const mail = async (...values: unknown[]): Promise<void> => {
    mailed.push(values.join(' '));
    if (email === 'busy@x') throw new Error('busy');
  };
  const notifier = createNotifier({
    push: {
      send: async ({ devices }, _, isWanted = () => true) =>
        devices.flatMap(({ deviceId }) => (isWanted(deviceId) ? [{ deviceId, outcome: 'retried' }] : [])),
    },
    mail: { sendInvitation: mail, sendCredentialsExpire: mail } as unknown as Mail,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    emailOf: async () => email,
  });
  const recipient = { devices: [{ deviceId: 'a' }, { deviceId: 'b' }] } as unknown as Recipient;
  const deliveries = await notifier.notify(recipient, notification, choice);
  return [...mailed, ...deliveries.map(({ channel }) => channel)];
}

const [A, B, INVITED] = ['device:a', 'device:b', 'e@x Gulf true'] as const;

test.each<[string, Notification, ChannelChoice, string[], email?: string | null]>([
  ['an offer goes to every device, not by mail', OFFER, {}, [A, B]],
  ['an invitation also by mail', REMINDER, {}, [INVITED, A, B]],
  ['so do credentials that end', CREDENTIALS, {}, ['e@x 2027-04-30', A, B]],
  ['a retry by mail calls no device', REMINDER, { only: 'mail' }, [INVITED]],
  ['a retry of a device calls no other channel', REMINDER, { only: B }, [B]],
  ['an offer has no mail to retry', OFFER, { only: 'mail' }, []],
  ['channels with retries of their own are left out', REMINDER, { except: ['mail', A] }, [B]],
  ['the mail alone is left out', REMINDER, { except: ['mail'] }, [A, B]],
  ['a device alone is left out', REMINDER, { except: [B] }, [INVITED, A]],
  ['a mail that fails is retried', REMINDER, { only: 'mail' }, ['busy@x Gulf true', 'mail'], 'busy@x'],
  ['an account without an address gets no mail', REMINDER, {}, [A, B], null],
])('%s', async (_, notification, choice, expected, email = 'e@x') => {
  expect(await notified(notification, choice, email)).toEqual(expected);
});
