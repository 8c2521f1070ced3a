import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoggedRequest, RequestLogStore } from '@svc/application';
import type { FirmId, KeyId } from '@svc/domain';

export interface RequestLogUnderTest {
  readonly store: RequestLogStore;
  close?(): Promise<void>;
}

let count = 0;
const uuid = (): string => {
  count += 1;
  return `01980a5e-4c7f-4b3e-9d8a-${count.toString(16).padStart(12, '0')}`;
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

/** The guarantees of every request log store. */
export function requestLogSuite(name: string, make: () => Promise<RequestLogUnderTest>): void {
  describe(`${name} stores the request log`, () => {
    let underTest: RequestLogUnderTest;
    beforeAll(async () => {
      underTest = await make();
    });
    afterAll(() => underTest?.close?.());

    test('entries are returned unchanged, with and without status, code and error locations', async () => {
      const { store } = underTest;
      const rejected = aLoggedRequest();
      const aborted = aLoggedRequest({
        firmId: rejected.firmId,
        at: rejected.at + 1,
        status: null,
        code: null,
        places: [],
        durationMs: 0.5,
      });
      await store.append([rejected, aborted]);
      expect(await store.requestsOf(rejected.firmId, { limit: 10 })).toEqual([aborted, rejected]);
    });

    test('a firm’s requests are returned latest first up to the limit, or the one with the id', async () => {
      const { store } = underTest;
      const firmId = uuid() as FirmId;
      const all = [3, 1, 2].map((at) => aLoggedRequest({ firmId, at }));
      await store.append(all);
      expect((await store.requestsOf(firmId, { limit: 2 })).map(({ at }) => at)).toEqual([3, 2]);
      const [latest] = await store.requestsOf(firmId, { limit: 1 });
      expect((await store.requestsOf(firmId, { limit: 2, after: latest })).map(({ at }) => at)).toEqual([
        2, 1,
      ]);
      const requestId = all[1]?.requestId ?? '';
      expect(await store.requestsOf(firmId, { requestId, limit: 10 })).toEqual([all[1]]);
    });

    test('a firm never finds another firm’s request, not even by its id', async () => {
      const { store } = underTest;
      const one = aLoggedRequest();
      await store.append([one, aLoggedRequest()]);
      const otherFirm = uuid() as FirmId;
      expect(await store.requestsOf(otherFirm, { limit: 10 })).toEqual([]);
      expect(await store.requestsOf(otherFirm, { requestId: one.requestId, limit: 10 })).toEqual([]);
      expect(await store.requestsOf(otherFirm, { requestId: 'no uuid', limit: 10 })).toEqual([]);
    });

    test('a batch appended twice or concurrently is stored once', async () => {
      const { store } = underTest;
      const firmId = uuid() as FirmId;
      const batch = Array.from({ length: 200 }, () => aLoggedRequest({ firmId }));
      await Promise.all([store.append(batch), store.append([...batch].reverse()), store.append(batch)]);
      expect(await store.requestsOf(firmId, { limit: 1000 })).toHaveLength(200);
    });
  });
}
