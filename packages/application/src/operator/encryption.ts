import type { Operator } from '../actors.ts';
import { type AuditAction, SERVICE_CHAIN } from '../ports/audit.ts';
import type { DataEncryption } from '../ports/encryption.ts';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { byOperator, recordAction } from '../support/audit.ts';
import { OperatorError } from './operator-error.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly encryption: DataEncryption;
  readonly clock: Clock;
  readonly operator: Operator;
}

const ofAll =
  (
    action: AuditAction,
    work: (encryption: DataEncryption, onProgress: (done: number) => void) => Promise<number>,
  ) =>
  (deps: Deps) =>
  async (onProgress: (done: number) => void): Promise<number> => {
    if ((await deps.encryption.status()).wrappingKeyId === null)
      throw new OperatorError('encryption is off: set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE');
    await deps.uow.run((tx) =>
      recordAction(tx, SERVICE_CHAIN, byOperator(deps.operator), {
        at: deps.clock.now(),
        action,
        object: null,
      }),
    );
    return work(deps.encryption, onProgress);
  };

/** Encrypts every data key with the current wrapping key, so that the previous one is no longer needed. */
export const makeRotateEncryption = ofAll('encryption.rotate', (encryption, onProgress) =>
  encryption.rewrap(onProgress),
);

export const makeEncryptExisting = ofAll('encryption.apply', (encryption, onProgress) =>
  encryption.encryptExisting(onProgress),
);
