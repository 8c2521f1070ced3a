import { expect, test } from '@jest/globals';
import { type Endpoint, EXAMPLES, endpoints } from '@svc/contract';
import type { FirmId } from '@svc/domain';
import { auditEventsOf, auditedRequest } from '../src/http/pipeline/audited-requests.ts';

const CALLER = { actor: 'staff:1', address: '127.0.0.1', requestId: '1' };
/** Their ids are of no object of the trail. */
const WITHOUT_OBJECT = /[sS]ession$|Passkey$|^getRequest$|^replayWebhookDelivery$/;

const audited = (Object.entries(endpoints) as [keyof typeof endpoints, Endpoint][]).filter(
  ([id, { audit, params }]) => audit !== null && params !== undefined && !WITHOUT_OBJECT.test(id),
);

test.each(audited)('a refused %s is recorded with what it is about', (id, endpoint) => {
  const { params = {} } = EXAMPLES[id] as { params?: Record<string, string> };
  const request = auditedRequest(endpoint, params, CALLER, '1' as FirmId);
  const [event] = auditEventsOf(request, { at: 0, code: 'not_found', aborted: false });
  expect(event?.entry).toMatchObject({ action: endpoint.audit, outcome: 'not_found' });
  expect(Object.values(params).map((value) => expect.stringMatching(`^\\w+:${value}$`))).toContainEqual(
    event?.entry.object,
  );
});
