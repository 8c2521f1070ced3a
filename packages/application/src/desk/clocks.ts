import { clockRuleKey, DomainError, type FirmClocks, NO_CLOCKS } from '@svc/domain';
import type { StaffActor } from '../actors.ts';
import { byAccount, changesBetween, firmObject, recordAction } from '../audit/events.ts';
import { isSameContent } from '../model/same-content.ts';
import { lockUnerasedFirm } from '../operator/existing.ts';
import type { Needs } from '../ports/needs.ts';

function checkRules({ rules }: FirmClocks): void {
  const keys = rules.map(clockRuleKey);
  const repeated = keys.findIndex((key, n) => keys.indexOf(key) < n);
  if (repeated === -1) return;
  const first = keys.indexOf(keys[repeated] ?? '');
  const detail = `Rules ${first + 1} and ${repeated + 1} are for the same claims: make them one.`;
  throw new DomainError('clock_rules_repeated', detail);
}

/** Replaces what the firm owes its carriers. `isBase`: whether the rules are those that were edited. */
export const makeSetClocks =
  (deps: Needs<'uow' | 'clock'>) =>
  (
    actor: StaffActor,
    edit: (current: FirmClocks) => FirmClocks,
    isBase: (current: FirmClocks) => boolean = () => true,
  ): Promise<FirmClocks> =>
    deps.uow.run(async (tx) => {
      const firm = await lockUnerasedFirm(tx, actor.firmId);
      const current = firm.clocks ?? NO_CLOCKS;
      const { changedAt: _, ...seen } = current;
      const changed = edit(seen);
      checkRules(changed);
      // A request that is sent again after a lost response finds what it has written.
      if (isSameContent(changed, seen)) return current;
      if (!isBase(current))
        throw new DomainError('clocks_changed', 'Somebody else has changed the rules since you read them.');
      const at = deps.clock.now();
      const clocks = { ...changed, changedAt: at };
      await tx.firms.save({ ...firm, clocks });
      const settings = ({ rules, timeZone }: FirmClocks) => ({
        rules: rules.length,
        time_zone: timeZone,
      });
      const changes = changesBetween(settings(current), settings(changed));
      const audited = { at, action: 'firm.clocks', object: firmObject(firm.id) } as const;
      await recordAction(tx, firm.id, byAccount(actor), { ...audited, changes });
      return clocks;
    });
