import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { getClaim, rejectClaim, sentClaim } from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

/** Sends the start of a request and closes the connection. */
function sendHalf(text: string, withReset: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(service.service.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.write(text, () => {
      if (withReset) socket.resetAndDestroy();
      else socket.destroy();
    });
  });
}

test('a rejection whose client disconnects before the whole body has arrived has no effect', async () => {
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  const claim = await sentClaim(service, firm.live, svcId);
  const body = '{"reason":"Too far from my other files."}';
  const head = [
    `POST /app/v1/claims/${claim.id}/rejection HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
  const before = service.logged.length;
  const logged = () => service.logged.slice(before).filter((line) => line.includes('/rejection')).length;
  for (let length = 0; length < body.length; length += 1) {
    await sendHalf(head + body.slice(0, length), length % 2 === 0);
    await pause(1);
  }
  await eventually(
    async () => logged(),
    (count) => count === body.length,
  );
  const { assignment } = (await getClaim(service, firm.live, claim.id)).json;
  expect(assignment.status).toBe('pending_acceptance');

  const response = await rejectClaim(service, token, claim.id, 'Too far.');
  expect(response.json.assignment).toMatchObject({ status: 'rejected', rejection_reason: 'Too far.' });
});
