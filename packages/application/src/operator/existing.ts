import { type Adjuster, DomainError, existing, type FirmId, type Svcid } from '@svc/domain';
import type { Firm } from '../model/firm.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

export async function lockFirm(tx: Tx, id: FirmId): Promise<Firm> {
  const firm = await tx.firms.lock(id);
  if (firm === null) throw new OperatorError(`no firm has the id ${id}`);
  return firm;
}

/** For changes that would give a firm access again, of the operator or of staff whose session ends while they make it. */
export async function lockUnerasedFirm(tx: Tx, id: FirmId): Promise<Firm> {
  const firm = existing(await tx.firms.lock(id), `No firm has the id ${id}.`);
  if (firm.erasure === 'finished') throw new DomainError('not_found', `The firm ${id} is erased.`);
  if (firm.erasure === 'started') throw new DomainError('not_found', `The firm ${id} is being erased.`);
  return firm;
}

export async function findAdjuster(tx: Tx, svcId: Svcid): Promise<Adjuster> {
  return knownAdjuster(await tx.adjusters.find(svcId), svcId);
}

export async function lockAdjuster(tx: Tx, svcId: Svcid): Promise<Adjuster> {
  return knownAdjuster(await tx.adjusters.lock(svcId), svcId);
}

function knownAdjuster(adjuster: Adjuster | null, svcId: Svcid): Adjuster {
  if (adjuster === null) throw new OperatorError(`no adjuster has the SVCID ${svcId}`);
  return adjuster;
}
