import { expect, test } from '@jest/globals';
import { SERVICE_CHAIN } from '@svc/application';
import { type Endpoint, ERRORS, type ErrorCode, EXAMPLES, endpoints } from '@svc/contract';
import type { FirmId } from '@svc/domain';
import { type AuditedRead, auditEventsOf, auditedRequest } from '../src/http/pipeline/audited-requests.ts';

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

const eventsOf = (code: string | undefined, params = {}, reads?: AuditedRead[], aborted = false) =>
  auditEventsOf(
    { ...auditedRequest({ audit: 'key.revoke' }, params, CALLER, '1' as FirmId), ...(reads && { reads }) },
    { at: 0, code, aborted },
  ).map(({ entry }) => [entry.action, entry.object, entry.outcome]);

test('a secret in place of the id of a key, and requests of which nothing is known, are not recorded; an aborted read is', () => {
  for (const key_id of ['svc_live_key_1', 'key_1.secret', `key_${'s'.repeat(61)}`])
    expect(eventsOf('not_found', { key_id })).toEqual([['key.revoke', null, 'not_found']]);
  const codes =
    'malformed_request validation_failed payload_too_large rate_limited internal_error service_unavailable';
  const unrecorded = Object.keys(ERRORS).filter((code) => eventsOf(code).length === 0);
  expect(unrecorded.toSorted()).toEqual(codes.split(' ').toSorted());
  const request = auditedRequest(endpoints.inviteBoardAdjusters, {}, CALLER, '1' as FirmId);
  const rejections = Object.keys(ERRORS) as ErrorCode[];
  const listed = auditEventsOf({ ...request, rejections }, { at: 0, code: undefined, aborted: false });
  expect(listed.map(({ entry }) => entry.outcome)).toEqual(
    rejections.filter((code) => !unrecorded.includes(code)),
  );
  expect(eventsOf(undefined, {}, undefined, true)).toEqual([]);
  const reads = [{ firmId: '1' as FirmId, action: 'keys.read', object: null }] as const;
  expect(eventsOf(undefined, {}, [...reads], true)).toEqual([['keys.read', null, 'aborted']]);
});

test('what an adjuster may not do is recorded for the service, since it is about no firm', () => {
  const request = auditedRequest(endpoints.getOfferedClaim, { id: 'c' }, CALLER, null);
  const events = auditEventsOf(request, { at: 0, code: 'not_found', aborted: false });
  expect(events).toMatchObject([
    { chain: SERVICE_CHAIN, entry: { action: 'claim.read', object: 'claim:c' } },
  ]);
});
