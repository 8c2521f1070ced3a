import type { AuditAction } from '@svc/domain';
import { recordAction } from '../audit/events.ts';
import { SERVICE_CHAIN } from '../model/audit.ts';
import type { DataEncryption, EncryptionStatus } from '../ports/encryption.ts';
import type { Needs } from '../ports/needs.ts';
import { OperatorError } from './operator-error.ts';

type Deps = Needs<'uow' | 'encryption' | 'clock' | 'operator'>;

const ofAll =
  (
    action: AuditAction,
    isDone: (status: EncryptionStatus) => boolean,
    work: (encryption: DataEncryption, onProgress: (done: number) => void) => Promise<number>,
  ) =>
  (deps: Deps) =>
  async (onProgress: (done: number) => void): Promise<number> => {
    const status = await deps.encryption.status();
    if (status.wrappingKeyId === null)
      throw new OperatorError('encryption is off: set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE');
    if (isDone(status)) return 0;
    await deps.uow.run((tx) =>
      recordAction(tx, SERVICE_CHAIN, deps.operator, {
        at: deps.clock.now(),
        action,
        object: null,
      }),
    );
    return work(deps.encryption, onProgress);
  };

/** Encrypts every data key with the current wrapping key, so that the previous one is no longer needed. */
export const makeRotateEncryption = ofAll(
  'encryption.rotate',
  ({ dataKeys, wrappingKeyId }) => dataKeys.every((keys) => keys.wrappingKeyId === wrappingKeyId),
  (encryption, onProgress) => encryption.rewrap(onProgress),
);

export const makeEncryptExisting = ofAll(
  'encryption.apply',
  ({ plainRows, rejectsPlainText }) =>
    rejectsPlainText && Object.values(plainRows).every((rows) => rows === 0),
  (encryption, onProgress) => encryption.encryptExisting(onProgress),
);
