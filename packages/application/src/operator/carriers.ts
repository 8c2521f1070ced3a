import {
  type AuditAction,
  type CarrierCorrection,
  type CarrierDetails,
  correctCarrier,
  type FirmId,
} from '@svc/domain';
import { recordAction } from '../audit/events.ts';
import type { AuditChanges } from '../model/audit.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { lockUnerasedFirm } from './existing.ts';
import { OperatorError } from './operator-error.ts';

type Deps = Needs<'uow' | 'clock' | 'operator'>;

const missingCarrier = (firmId: FirmId, name: string): OperatorError =>
  new OperatorError(`the carrier book of the firm ${firmId} has no ${JSON.stringify(name)}`);

async function lockCarrier(tx: Tx, firmId: FirmId, name: string): Promise<CarrierDetails> {
  await lockUnerasedFirm(tx, firmId);
  const entry = await tx.carriers.lock(firmId, name);
  if (entry === null) throw missingCarrier(firmId, name);
  return entry;
}

const record = (
  tx: Tx,
  { clock, operator }: Deps,
  firmId: FirmId,
  action: AuditAction,
  { name }: CarrierDetails,
  changes?: AuditChanges,
): Promise<void> =>
  recordAction(tx, firmId, operator, {
    at: clock.now(),
    action,
    object: `carrier:${name}`,
    changes,
  });

/**
 * Corrects an entry of a firm's carrier book. Claims keep the details that they sent; the forms of all claims of the
 * carrier are filled in from the corrected entry. The audit trail says which details changed, but not the details, which
 * may be encrypted where they are stored.
 */
export const makeSetCarrier =
  (deps: Deps) =>
  (firmId: FirmId, name: string, correction: CarrierCorrection): Promise<CarrierDetails> =>
    deps.uow.run(async (tx) => {
      const before = await lockCarrier(tx, firmId, name);
      const { entry, changed } = correctCarrier(before, correction);
      if (changed.length === 0) return before;
      await tx.carriers.save(firmId, entry);
      const changes = changed.map((detail) => {
        const from = before[detail] === undefined ? 'none' : 'held';
        return [detail, { from, to: entry[detail] === undefined ? 'none' : 'replaced' }] as const;
      });
      await record(tx, deps, firmId, 'carrier.change', before, Object.fromEntries(changes));
      return entry;
    });

/** The next claim of the carrier starts a new entry. */
export const makeRemoveCarrier =
  (deps: Deps) =>
  (firmId: FirmId, name: string): Promise<CarrierDetails> =>
    deps.uow.run(async (tx) => {
      const entry = await lockCarrier(tx, firmId, name);
      await tx.carriers.remove(firmId, name);
      await record(tx, deps, firmId, 'carrier.remove', entry);
      return entry;
    });
