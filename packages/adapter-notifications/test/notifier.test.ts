import { expect, test } from '@jest/globals';
import type { ChannelChoice, Notification, Recipient } from '@svc/application';
import type { ClaimId, FirmId } from '@svc/domain';
import { createNotifier, type Mail } from '../src/index.ts';

const firmName = 'Gulf';
const OFFER: Notification = { kind: 'offer', firmName, claimId: 'claim' as ClaimId };
const REMINDER: Notification = { kind: 'invitation', firmName, firmId: 'firm' as FirmId, isReminder: true };
const INVITATION: Notification = { ...REMINDER, isReminder: false };
const CREDENTIALS: Notification = { kind: 'credentials', expiresOn: '2027-04-30' };

/** To an adjuster with the devices a and b: what it mails, the channels of what it returns, and what it logs. */
async function notified(notification: Notification, choice: ChannelChoice, email: string | null = 'e@x') {
  const mailed: string[] = [];
  const mailAs =
    (kind: string) =>
    async (...values: unknown[]): Promise<void> => {
      mailed.push([kind, ...values].join(' '));
      if (email === 'busy@x') throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    };
  const notifier = createNotifier({
    push: {
      send: async (to, pushed, isWanted = () => true) => {
        expect([to, pushed]).toEqual([recipient, notification]);
        return to.devices.flatMap(({ deviceId }) =>
          isWanted(deviceId) ? [{ deviceId, outcome: deviceId === 'a' ? 'retried' : 'delivered' }] : [],
        );
      },
    },
    mail: {
      sendInvitation: mailAs('invited'),
      sendCredentialsExpire: mailAs('expires'),
    } as unknown as Mail,
    log: { debug() {}, info() {}, error() {}, warn: (...line) => mailed.push(JSON.stringify(line)) },
    emailOf: async (svcId) => (svcId === 'SVC-1' ? email : 'other@x'),
  });
  const recipient = {
    svcId: 'SVC-1',
    devices: [{ deviceId: 'a' }, { deviceId: 'b' }],
  } as unknown as Recipient;
  const deliveries = await notifier.notify(recipient, notification, choice);
  return [...mailed, ...deliveries.map(({ channel, outcome }) => `${channel} ${outcome}`)];
}

const [A, B] = ['device:a', 'device:b'] as const;
const [FAILED, DELIVERED, INVITED] = [`${A} retried`, `${B} delivered`, 'invited e@x Gulf true'] as const;
const BUSY = '["a notification could not be emailed",{"error_code":"EBUSY"}]';

test.each<[string, Notification, ChannelChoice, string[], email?: string | null]>([
  ['an offer goes to every device, not by mail', OFFER, {}, [FAILED, DELIVERED]],
  ['an invitation also by mail', REMINDER, {}, [INVITED, FAILED, DELIVERED]],
  ['so do credentials that end', CREDENTIALS, {}, ['expires e@x 2027-04-30', FAILED, DELIVERED]],
  ['a retry by mail calls no device', INVITATION, { only: 'mail' }, ['invited e@x Gulf false']],
  ['a retry of a device calls no other channel', REMINDER, { only: B, except: [A] }, [DELIVERED]],
  ['an offer has no mail to retry', OFFER, { only: 'mail' }, []],
  ['channels with retries of their own are left out', REMINDER, { except: ['mail', A] }, [DELIVERED]],
  ['the mail alone is left out', REMINDER, { except: ['mail'] }, [FAILED, DELIVERED]],
  ['a device alone is left out', REMINDER, { except: [B] }, [INVITED, FAILED]],
  [
    'a mail that fails is retried',
    REMINDER,
    { only: 'mail' },
    ['invited busy@x Gulf true', BUSY, 'mail retried'],
    'busy@x',
  ],
  ['an account without an address gets no mail', REMINDER, {}, [FAILED, DELIVERED], null],
])('%s', async (_, notification, choice, expected, email = 'e@x') => {
  expect(await notified(notification, choice, email)).toEqual(expected);
});
