import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoggedRequest, RequestLogStore } from '@svc/application';
import type { FirmId, KeyId } from '@svc/domain';

export interface RequestLogUnderTest {
  readonly store: RequestLogStore;
  close?(): Promise<void>;
}

let made = 0;
const uuid = (): string => {
  made += 1;
  return `01980a5e-4c7f-4b3e-9d8a-${made.toString(16).padStart(12, '0')}`;
};

export const aLoggedRequest = (changes: Partial<LoggedRequest> = {}): LoggedRequest => ({
  requestId: uuid(),
  at: Date.UTC(2026, 7, 29, 15, 4, 11, 208),
  firmId: uuid() as FirmId,
  keyId: 'key_1' as KeyId,
  route: 'POST /v1/claims',
  status: 422,
  code: 'validation_failed',
  places: ['/loss/date', '/building/flood_zone'],
  durationMs: 12.5,
  ...changes,
});

/** What every place to keep the request log in does. */
export function requestLogSuite(name: string, make: () => Promise<RequestLogUnderTest>): void {
  describe(`${name} keeps the request log`, () => {
    let underTest: RequestLogUnderTest;
    beforeAll(async () => {
      underTest = await make();
    });
    afterAll(() => underTest?.close?.());

    test('what was written comes back as it was, with and without a status, a code and places', async () => {
      const { store } = underTest;
      const refused = aLoggedRequest();
      const aborted = aLoggedRequest({
        firmId: refused.firmId,
        at: refused.at + 1,
        status: null,
        code: null,
        places: [],
        durationMs: 0.5,
      });
      await store.append([refused, aborted]);
      expect(await store.requestsOf(refused.firmId, { limit: 10 })).toEqual([aborted, refused]);
    });

    test('a firm’s requests come latest first, as many as are wanted, or the one with the id', async () => {
      const { store } = underTest;
      const firmId = uuid() as FirmId;
      const all = [3, 1, 2].map((at) => aLoggedRequest({ firmId, at }));
      await store.append(all);
      expect((await store.requestsOf(firmId, { limit: 2 })).map(({ at }) => at)).toEqual([3, 2]);
      const requestId = all[1]?.requestId ?? '';
      expect(await store.requestsOf(firmId, { requestId, limit: 10 })).toEqual([all[1]]);
    });

    test('no firm’s question finds another firm’s request, not even by its id', async () => {
      const { store } = underTest;
      const one = aLoggedRequest();
      await store.append([one, aLoggedRequest()]);
      const stranger = uuid() as FirmId;
      expect(await store.requestsOf(stranger, { limit: 10 })).toEqual([]);
      expect(await store.requestsOf(stranger, { requestId: one.requestId, limit: 10 })).toEqual([]);
      expect(await store.requestsOf(stranger, { requestId: 'no uuid', limit: 10 })).toEqual([]);
    });

    test('a batch that is written twice, or by two at once, stands there once', async () => {
      const { store } = underTest;
      const firmId = uuid() as FirmId;
      const batch = Array.from({ length: 200 }, () => aLoggedRequest({ firmId }));
      await Promise.all([store.append(batch), store.append([...batch].reverse()), store.append(batch)]);
      expect(await store.requestsOf(firmId, { limit: 1000 })).toHaveLength(200);
    });
  });
}
