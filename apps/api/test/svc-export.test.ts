import { expect, test } from '@jest/globals';
import type { ExportedRow, Firm } from '@svc/application';
import { type FirmId, NO_OVERRIDES } from '@svc/domain';
import { exportDocument } from '../src/svc/firm.ts';

const exported = (row: ExportedRow) => exportDocument(row, { docsUrl: '', keyNames: new Map() });
const firmId = 'firm' as FirmId;
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
