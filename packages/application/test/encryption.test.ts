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

  test('is done also when only some keys and rows are left', async () => {
    for (const [left, leftDevices] of [
      [3, 0],
      [0, 3],
    ]) {
      const { rotate, encryptExisting } = setUp('key-2', left, leftDevices);
      expect([await rotate(() => {}), await encryptExisting(() => {})]).toEqual([3, 500]);
    }
  });

  test('is done once more when all rows are encrypted, but plain text is not rejected yet', async () => {
    const { encryptExisting, recorded } = setUp('key-2', 0, 0, false);
    expect(await encryptExisting(() => {})).toBe(500);
    expect(await recorded()).toMatchObject([{ action: 'encryption.apply' }]);
  });

  test('is not in the audit trail when nothing is left to encrypt', async () => {
    const { rotate, encryptExisting, recorded } = setUp('key-2', 0);
    expect([await rotate(() => {}), await encryptExisting(() => {})]).toEqual([0, 0]);
    expect(await recorded()).toEqual([]);
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
