import {
  type Adjuster,
  type AuditAction,
  addMember,
  ENVIRONMENTS,
  type FirmId,
  type LimitOverrides,
  NO_OVERRIDES,
  type Plan,
  type Svcid,
  TEST_ACCOUNTS,
  TEST_BEHAVIORS,
  type TestBehavior,
} from '@svc/domain';
import { changesBetween, recordFirmAction } from '../audit/events.ts';
import type { Firm } from '../model/firm.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { lockUnerasedFirm } from './existing.ts';

export interface IssuedTestAccount {
  readonly svcId: Svcid;
  readonly behavior: TestBehavior;
  /** Shown once. */
  readonly signInSecret: string;
}

type CreateDeps = Needs<'uow' | 'secrets' | 'clock' | 'ids' | 'operator'>;

type CreateFirm = { name: string; plan: Plan };

interface CreatedFirm {
  readonly firm: Firm;
  readonly testAccounts: IssuedTestAccount[];
}

/** Creates a firm with its test accounts. */
export const makeCreateFirm =
  (deps: CreateDeps) =>
  (command: CreateFirm): Promise<CreatedFirm> =>
    deps.uow.run((tx) => addFirm(tx, deps, command));

/** Creates a firm if there is none, once even when called concurrently. Null: there is one already. */
export const makeCreateFirstFirm =
  (deps: CreateDeps) =>
  (command: CreateFirm): Promise<CreatedFirm | null> =>
    deps.uow.run(async (tx) => ((await tx.firms.count()) > 0 ? null : addFirm(tx, deps, command)));

async function addFirm(tx: Tx, deps: CreateDeps, command: CreateFirm): Promise<CreatedFirm> {
  const firm: Firm = {
    id: deps.ids.next() as FirmId,
    name: command.name,
    plan: command.plan,
    limits: NO_OVERRIDES,
    maxKeys: null,
    offerWaitHours: null,
    clocks: null,
    createdAt: deps.clock.now(),
    erasure: null,
  };
  await tx.firms.add(firm);
  await recordFirmAction(tx, deps, firm.id, 'firm.create', changesBetween({}, settingsOf(firm)));
  const tag = deps.secrets.testAccountTag();
  const testAccounts: IssuedTestAccount[] = [];
  for (const behavior of TEST_BEHAVIORS)
    testAccounts.push(await addTestAccount(tx, deps, firm, tag, behavior));
  return { firm, testAccounts };
}

async function addTestAccount(
  tx: Tx,
  deps: Needs<'secrets'>,
  firm: Firm,
  tag: string,
  behavior: TestBehavior,
): Promise<IssuedTestAccount> {
  const account: Adjuster = {
    svcId: `test_${tag}_${behavior}` as Svcid,
    firstName: 'Test',
    lastName: behavior.replace(/./, (first) => first.toUpperCase()),
    email: `${behavior}@${tag.toLowerCase()}.test`,
    testOf: { firmId: firm.id, behavior },
  };
  const { secret, hash } = deps.secrets.issue('sign_in_secret');
  if (!(await tx.adjusters.add(account, hash)))
    throw new Error('generated test account tag is already in use');
  const { member, acceptingAssignments } = TEST_ACCOUNTS[behavior];
  if (member) {
    const membership = { firmId: firm.id, svcId: account.svcId, at: firm.createdAt, acceptingAssignments };
    await tx.memberships.save(addMember(null, membership));
  }
  return { svcId: account.svcId, behavior, signInSecret: secret };
}

const settingsOf = ({ plan, limits, maxKeys, offerWaitHours }: Firm) => ({
  plan,
  requests_per_minute: limits.requestsPerMinute,
  writes_per_minute: limits.writesPerMinute,
  burst: limits.burst,
  max_keys: maxKeys,
  offer_wait_hours: offerWaitHours,
});

type ChangeDeps = Needs<'uow' | 'clock' | 'operator' | 'apiKeyAuthenticator'>;

async function change(
  deps: ChangeDeps,
  id: FirmId,
  action: AuditAction,
  by: (firm: Firm) => Firm,
  afterSave: (tx: Tx) => Promise<void> = async () => {},
): Promise<Firm> {
  const changed = await deps.uow.run(async (tx) => {
    const firm = await lockUnerasedFirm(tx, id);
    const next = by(firm);
    const changes = changesBetween(settingsOf(firm), settingsOf(next));
    if (changes === null) return firm;
    await tx.firms.save(next);
    await recordFirmAction(tx, deps, id, action, changes);
    await afterSave(tx);
    return next;
  });
  deps.apiKeyAuthenticator.invalidate();
  return changed;
}

export const makeSetPlan =
  (deps: ChangeDeps) =>
  (id: FirmId, plan: Plan): Promise<Firm> =>
    change(deps, id, 'firm.plan', (firm) => ({ ...firm, plan }));

/** Replaces all of the firm's limits; null restores the default. */
export const makeSetLimits =
  (deps: ChangeDeps) =>
  (id: FirmId, limits: LimitOverrides, maxKeys: number | null = null): Promise<Firm> =>
    change(deps, id, 'firm.limits', (firm) => ({ ...firm, limits, maxKeys }));

/**
 * Hours for which the firm waits for an answer, shown to adjusters, who are reminded then; the offer does not expire. Null
 * shows nothing.
 */
export const makeSetOfferWait =
  (deps: ChangeDeps) =>
  (id: FirmId, hours: number | null): Promise<Firm> =>
    change(
      deps,
      id,
      'firm.offer_wait',
      (firm) => ({ ...firm, offerWaitHours: hours }),
      async ({ outbox }) => {
        if (hours === null) return;
        for (const environment of ENVIRONMENTS)
          await outbox.add({ kind: 'remind_of_open_offers', firmId: id, environment, hours, after: null });
      },
    );
