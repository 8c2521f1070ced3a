import { describe, expect, test } from '@jest/globals';
import {
  type DataEncryption,
  makeEncryptExisting,
  makeRotateEncryption,
  SERVICE_CHAIN,
} from '@svc/application';
import { OPERATOR } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

/** `left` is the number of claims that are not encrypted; that of devices is `leftDevices`. */
const setUp = (wrappingKeyId: string | null, left = 3, leftDevices = 0, rejectsPlainText = left === 0) => {
  const { memory, clock, auditOf } = memoryFixture();
  const changing =
    (changed: number) =>
    async (onProgress: (done: number) => void): Promise<number> => {
      onProgress(changed);
      return changed;
    };
  const encryption: DataEncryption = {
    status: async () => ({
      wrappingKeyId,
      dataKeys: [left, leftDevices].map((rows) => ({
        wrappingKeyId: rows === 0 ? (wrappingKeyId ?? '') : 'key-1',
        count: 3,
      })),
      plainRows: { claims: left, devices: leftDevices },
      rejectsPlainText,
    }),
    rewrap: changing(3),
    encryptExisting: changing(500),
  };
  const deps = { uow: memory.unitOfWork, encryption, clock, operator: OPERATOR };
  const recorded = () => auditOf(SERVICE_CHAIN);
  return { rotate: makeRotateEncryption(deps), encryptExisting: makeEncryptExisting(deps), recorded, clock };
};

describe('encrypting data keys and rows', () => {
  test('reports progress and the number changed, and is in the audit trail as done by the operator', async () => {
    const { rotate, encryptExisting, recorded, clock } = setUp('key-2');
    const progress: number[] = [];
    const onProgress = (done: number) => void progress.push(done);
    expect([await rotate(onProgress), await encryptExisting(onProgress)]).toEqual([3, 500]);
    expect(progress).toEqual([3, 500]);
    const entry = { at: clock.now(), actor: OPERATOR.actor, object: null, outcome: 'ok' };
    expect(await recorded()).toMatchObject([
      { ...entry, action: 'encryption.rotate' },
      { ...entry, action: 'encryption.apply' },
    ]);
  });

  test.each([
    ['some claims are', 3, 0, false, [3, 500]],
    ['some devices are', 0, 3, false, [3, 500]],
    ['some devices are, though plain text is rejected,', 0, 3, true, [3, 500]],
    ['no row is, but plain text is not rejected yet', 0, 0, false, [0, 500]],
    ['nothing is', 0, 0, true, [0, 0]],
  ] as const)('is done and recorded where %s left', async (_, left, leftDevices, rejectsPlainText, done) => {
    const { rotate, encryptExisting, recorded } = setUp('key-2', left, leftDevices, rejectsPlainText);
    expect([await rotate(() => {}), await encryptExisting(() => {})]).toEqual(done);
    expect(await recorded()).toHaveLength(done.filter((rows) => rows > 0).length);
  });

  test('fails while encryption is off, and names the variables that turn it on', async () => {
    const { rotate, encryptExisting, recorded } = setUp(null);
    for (const command of [rotate, encryptExisting])
      await expect(command(() => {})).rejects.toMatchObject({
        name: 'OperatorError',
        message: 'encryption is off: set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE',
      });
    expect(await recorded()).toEqual([]);
  });
});
