import type { LoggedRequest } from '@svc/application';
import type { FirmId, KeyId } from '@svc/domain';

let count = 0;
const nextUuid = (): string => {
  count += 1;
  return `01980a5e-4c7f-4b3e-9d8a-${count.toString(16).padStart(12, '0')}`;
};

export const aLoggedRequest = (changes: Partial<LoggedRequest> = {}): LoggedRequest => ({
  requestId: nextUuid(),
  at: Date.UTC(2026, 7, 29, 15, 4, 11, 208),
  firmId: nextUuid() as FirmId,
  keyId: 'key_1' as KeyId,
  environment: 'test',
  route: 'POST /v1/claims',
  status: 422,
  code: 'validation_failed',
  places: ['/loss/date', '/building/flood_zone'],
  durationMs: 12.5,
  ...changes,
});
