import type { Adjuster, FirmId, Svcid } from '@svc/domain';
import type { Firm } from '../model/firm.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

export async function lockFirm(tx: Tx, id: FirmId): Promise<Firm> {
  const firm = await tx.firms.lock(id);
  if (firm === null) throw new OperatorError(`no firm has the id ${id}`);
  return firm;
}

/** For changes that would give a firm access again. */
export async function lockUnerasedFirm(tx: Tx, id: FirmId): Promise<Firm> {
  const firm = await lockFirm(tx, id);
  if (firm.erasure === 'finished') throw new OperatorError(`the firm ${id} is erased`);
  if (firm.erasure === 'started')
    throw new OperatorError(`the firm ${id} is being erased; if that was interrupted, repeat svc firm erase`);
  return firm;
}

export async function findAdjuster(tx: Tx, svcId: Svcid): Promise<Adjuster> {
  return existing(await tx.adjusters.find(svcId), svcId);
}

export async function lockAdjuster(tx: Tx, svcId: Svcid): Promise<Adjuster> {
  return existing(await tx.adjusters.lock(svcId), svcId);
}

function existing(adjuster: Adjuster | null, svcId: Svcid): Adjuster {
  if (adjuster === null) throw new OperatorError(`no adjuster has the SVCID ${svcId}`);
  return adjuster;
}
