import {
  acceptOffer,
  type Claim,
  type ClaimId,
  type ClaimWork,
  closeByAdjuster,
  DomainError,
  recordWork,
  rejectOffer,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import type { AppClaimView, AppReads } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

type Deps = { uow: UnitOfWork; reads: AppReads; clock: Clock };

const notFound = (): DomainError => new DomainError('not_found', 'No such claim.');

async function locked(tx: Tx, actor: AdjusterActor, id: ClaimId): Promise<Claim> {
  const claim = await tx.claims.lockOfferedTo(actor.svcId, id);
  if (claim === null) throw notFound();
  return claim;
}

export const makeReadAppClaim =
  (deps: { reads: AppReads }) =>
  async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const view = await deps.reads.claim(actor.svcId, id);
    if (view === null) throw notFound();
    return view;
  };

export const makeAcceptOffer = (deps: Deps) => {
  const read = makeReadAppClaim(deps);
  return async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    await deps.uow.run(async (tx) => {
      const claim = await locked(tx, actor, id);
      await tx.claims.save(acceptOffer(claim, { by: actor.svcId, at: deps.clock.now() }));
    });
    return read(actor, id);
  };
};

export const makeRejectOffer = (deps: Deps) => {
  const read = makeReadAppClaim(deps);
  return async (actor: AdjusterActor, id: ClaimId, reason: string | null): Promise<AppClaimView> => {
    await deps.uow.run(async (tx) => {
      const claim = await locked(tx, actor, id);
      await tx.claims.save(rejectOffer(claim, { by: actor.svcId, at: deps.clock.now(), reason }));
    });
    return read(actor, id);
  };
};

/** The adjuster's own dates and notes; the firm sees nothing of them. */
export const makeRecordWork = (deps: Deps) => {
  const read = makeReadAppClaim(deps);
  return async (actor: AdjusterActor, id: ClaimId, edits: Partial<ClaimWork>): Promise<AppClaimView> => {
    await deps.uow.run(async (tx) => {
      const claim = await locked(tx, actor, id);
      await tx.claims.saveUnseen(recordWork(claim, actor.svcId, edits));
    });
    return read(actor, id);
  };
};

/** The adjuster is done with an accepted claim. */
export const makeCloseAcceptedClaim = (deps: Deps) => {
  const read = makeReadAppClaim(deps);
  return async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    await deps.uow.run(async (tx) => {
      const claim = await locked(tx, actor, id);
      await tx.claims.saveUnseen(closeByAdjuster(claim, { by: actor.svcId, at: deps.clock.now() }));
    });
    return read(actor, id);
  };
};
