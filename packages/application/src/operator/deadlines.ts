import type { DeadlineKind, DeadlineOverride } from '@svc/domain';
import { changesBetween, recordAction } from '../audit/events.ts';
import { type AuditChanges, SERVICE_CHAIN } from '../model/audit.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

type Deps = Needs<'uow' | 'clock' | 'operator'>;

const valuesOf = ({ hours, source }: DeadlineOverride) => ({ hours, source });

const recordChange = (
  tx: Tx,
  deps: Deps,
  { event, kind }: DeadlineOverride,
  changes: AuditChanges | null,
): Promise<void> =>
  recordAction(tx, SERVICE_CHAIN, deps.operator, {
    at: deps.clock.now(),
    action: 'deadline.change',
    object: `deadline:${event}:${kind}`,
    changes,
  });

/** Gives the claims of one event another deadline, or changes it. */
export const makeSetDeadline =
  (deps: Deps) =>
  (override: DeadlineOverride): Promise<void> =>
    deps.uow.run(async (tx) => {
      const current = await tx.deadlines.lock(override.event, override.kind);
      const changes = changesBetween(current === null ? {} : valuesOf(current), valuesOf(override));
      if (changes === null) return;
      await tx.deadlines.put(override);
      await recordChange(tx, deps, override, changes);
    });

/** The claims of the event have the general deadline again. */
export const makeRemoveDeadline =
  (deps: Deps) =>
  (event: string, kind: DeadlineKind): Promise<void> =>
    deps.uow.run(async (tx) => {
      const current = await tx.deadlines.lock(event, kind);
      if (current === null)
        throw new OperatorError(`the event ${event} has no separate deadline for ${kind}`);
      await tx.deadlines.remove(event, kind);
      await recordChange(tx, deps, current, changesBetween(valuesOf(current), {}));
    });
