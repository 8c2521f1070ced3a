import { expect, test } from '@jest/globals';
import type { ExportedRow, Firm, WebhookDelivery } from '@svc/application';
import { type FirmId, NO_OVERRIDES, SECOND } from '@svc/domain';
import { exportDocument } from '../src/svc/firm.ts';

const exported = (row: ExportedRow) => exportDocument(row, { docsUrl: '', keyNames: new Map() });
const [firmId, id] = ['firm' as FirmId, 'id'];
const EPOCH = '1970-01-01T00:00:00.000Z';

test('the export of a firm has what it owes its carriers, which limits it has, and since when it is held', () => {
  const rules = [{ carrier: 'Bayou', contactHours: 2 }];
  const firm: Firm = {
    ...{ id: firmId, name: 'Gulf', plan: 'standard', erasure: null, createdAt: 0 },
    ...{ limits: { ...NO_OVERRIDES, burst: 5 }, maxKeys: 3, offerWaitHours: 4 },
    clocks: { rules, timeZone: 'UTC', changedAt: 0 },
  };
  const document = {
    ...{ type: 'firm', id: firmId, name: 'Gulf', plan: 'standard', status: 'active', created_at: EPOCH },
    ...{ limits: { requests_per_minute: null, writes_per_minute: null, burst: 5, max_keys: 3 } },
    clocks: { rules: [{ carrier: 'Bayou', contact_hours: 2 }], time_zone: 'UTC', changed_at: EPOCH },
    ...{ offer_wait_hours: 4, legal_hold_since: EPOCH },
  };
  expect(exported({ type: 'firm', firm, legalHoldSince: 0 })).toEqual(document);
  expect(
    exported({ type: 'firm', firm: { ...firm, clocks: null, erasure: 'started' }, legalHoldSince: null }),
  ).toEqual({ ...document, clocks: null, status: 'erasing', legal_hold_since: null });
});

test('the export of a delivery names its row and its event, and has every time as a text', () => {
  const attempt = { at: 0, status: 204, error: null, durationMs: SECOND };
  const delivery: WebhookDelivery = {
    ...{ firmId, id, endpointId: 'endpoint', type: 'claims.changed', status: 'delivered' },
    ...{ createdAt: 0, changesAfter: 0, changesUntil: 0, nextAttemptAt: null },
    ...{ attemptCount: 1, attempts: [attempt] },
  };
  expect(exported({ type: 'webhook_delivery', delivery })).toEqual({
    ...{ type: 'webhook_delivery', event_type: 'claims.changed', status: 'delivered' },
    ...{ firm_id: firmId, id, endpoint_id: 'endpoint' },
    ...{ created_at: EPOCH, changes_after: EPOCH, changes_until: EPOCH, next_attempt_at: null },
    ...{ attempt_count: 1, attempts: [{ at: EPOCH, status: 204, error: null, duration_ms: SECOND }] },
  });
});
