import type { DeadlineKind, DeadlineOverride } from '@svc/domain';
import type { Operator } from '../actors.ts';
import { SERVICE_CHAIN } from '../ports/audit.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';
import { byOperator, recordAction } from '../support/audit.ts';
import { OperatorError } from './operator-error.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly operator: Operator;
}

const recordChange = (tx: Tx, deps: Deps, event: string, kind: DeadlineKind): Promise<void> =>
  recordAction(tx, SERVICE_CHAIN, byOperator(deps.operator), {
    at: deps.clock.now(),
    action: 'deadline.change',
    object: `deadline:${event}:${kind}`,
  });

/** Gives the claims of one event another deadline, or changes it. */
export const makeSetDeadline =
  (deps: Deps) =>
  (override: DeadlineOverride): Promise<void> =>
    deps.uow.run(async (tx) => {
      await tx.deadlines.put(override);
      await recordChange(tx, deps, override.event, override.kind);
    });

/** The claims of the event have the general deadline again. */
export const makeRemoveDeadline =
  (deps: Deps) =>
  (event: string, kind: DeadlineKind): Promise<void> =>
    deps.uow.run(async (tx) => {
      if (!(await tx.deadlines.remove(event, kind)))
        throw new OperatorError(`the event ${event} has no separate deadline for ${kind}`);
      await recordChange(tx, deps, event, kind);
    });
