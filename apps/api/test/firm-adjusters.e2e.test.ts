import { expect, test } from '@jest/globals';
import type { Svcid } from '@svc/domain';
import { createFixedClock } from '@svc/testkit';
import {
  adjusterRecord,
  answerInvitation,
  DAY,
  expectValidationErrors,
  invite,
  outcome,
  wholeList,
  withdraw,
} from './firm-calls.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const clock = createFixedClock(Date.now());
const service = await startServiceUnderTest({ clock });
const firm = await service.firm();

const NOTES = {
  invited_as: 'Jean D.',
  invited_by: 'Priya Natarajan',
  purpose: 'Hurricane deployment',
  note: 'Certified for large losses.',
};
const NO_NOTES = { invited_as: null, invited_by: null, purpose: null, note: null };
const at = (ms: number): string => new Date(ms).toISOString();

type Status = 'pending' | 'active' | 'declined' | 'expired' | 'withdrawn' | 'left';

test.each<[status: Status, responded: boolean, known: boolean]>([
  ['pending', false, false],
  ['active', true, true],
  ['declined', true, false],
  ['expired', false, false],
  ['withdrawn', false, false],
])(
  'the record of an adjuster who is %s has the times and notes of the invitation, and account data only for members',
  async (status, responded, known) => {
    const { svcId, token } = await service.adjuster();
    const invitedAt = clock.now();
    const invited = await invite(service, firm.live, svcId, NOTES);
    const pending = {
      svc_id: svcId,
      status: 'pending',
      test: false,
      name: null,
      email: null,
      invited_at: at(invitedAt),
      expires_at: at(invitedAt + 7 * DAY),
      responded_at: null,
      ...NOTES,
    };
    expect([invited.status, invited.json]).toEqual([201, pending]);
    clock.advance(1000);
    const expected = {
      ...pending,
      status,
      ...(known && { name: 'Jean Delacroix', email: `${svcId.toLowerCase()}@example.com` }),
      ...(status !== 'pending' && { expires_at: null }),
      responded_at: responded ? at(invitedAt + 1000) : null,
    };
    if (status === 'active') await answerInvitation(service, token, firm.id, 'acceptance');
    if (status === 'declined') await answerInvitation(service, token, firm.id, 'decline');
    if (status === 'withdrawn') expect((await withdraw(service, firm.live, svcId)).json).toEqual(expected);
    if (status === 'expired') clock.advance(7 * DAY);
    expect(await adjusterRecord(service, firm.live, svcId)).toEqual(expected);
  },
);

test('an invitation reports all errors at once, and has null for each note that was not sent', async () => {
  const { svcId } = await service.adjuster();
  const wrong = await service.call('POST', '/v1/adjusters/invitations?notify=no', {
    as: firm.live,
    body: { name: 'Jean', adjuster_svc_id: 'x', note: '' },
  });
  expectValidationErrors(wrong, 'notify', '/name', '/adjuster_svc_id', '/note', '/svc_id');
  expect((await invite(service, firm.live, svcId)).json).toMatchObject(NO_NOTES);
});

test('SVCIDs of any characters are invited, listed page by page, and withdrawn', async () => {
  const own = await service.firm();
  const svcIds = ['SVC/../x y', 'SVC%2F?#&+', 'SVC-日本-🌊', '.hidden', 'a\'b"c\\d', '🌊'.repeat(128)];
  for (const svcId of svcIds) {
    const unknown = { firstName: null, lastName: null, email: null };
    await service.service.services.createAdjuster({ svcId: svcId as Svcid, ...unknown });
    clock.advance(10);
    expect(outcome(await invite(service, own.live, svcId))).toEqual([201]);
  }
  const list = await wholeList(service, own.live, '/v1/adjusters', { limit: '1' });
  expect(list.filter((one) => !one.test).map((one) => one.svc_id)).toEqual(svcIds);
  for (const svcId of svcIds) {
    const { status, json } = await withdraw(service, own.live, svcId);
    expect([status, json.svc_id, json.status]).toEqual([200, svcId, 'withdrawn']);
  }
});
