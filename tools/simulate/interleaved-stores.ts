import { createMemoryStores, type MemoryStores } from '@svc/adapter-memory';
import {
  appendEvent,
  createDatabase,
  type Database,
  keyOf,
  type MemoryTx,
  type MemoryUnitOfWork,
  memoryFirmReads,
  memoryJobReads,
  memoryTx,
  type Tables,
  UniqueViolation,
} from '@svc/adapter-memory/parts';
import {
  type ClaimStatements,
  ConcurrencyConflict,
  type Decided,
  groupedClaimWrites,
  MAX_TOGETHER,
  repeatOnConflict,
  type WhenLocked,
  type WriteTransaction,
} from '@svc/adapter-postgres/parts';
import {
  type AuditEvent,
  type ClaimWrites,
  type Clock,
  type FirmReads,
  type Job,
  type JobReads,
  NO_METRICS,
  type OfferedClaim,
} from '@svc/application';
import {
  type Claim,
  type ClaimId,
  carrierNameKey,
  DomainError,
  type Instant,
  type Membership,
} from '@svc/domain';
import { createRowLocks, type LockMode } from './row-locks.ts';

/** Where transactions of several processes interleave: before each statement, lock and commit, and after each commit. */
export type Pause = (point: string) => Promise<void>;

/** The stores of one simulated process. */
interface InterleavedStores {
  readonly unitOfWork: MemoryUnitOfWork;
  readonly claimWrites: ClaimWrites;
  readonly firmReads: FirmReads;
  readonly jobReads: JobReads;
  /** Runs a committed job and then removes it. Several processes may run the same job. */
  runJob(number: number, handler: (job: Job) => Promise<void>): Promise<void>;
}

/** One database that several processes use at the same time. */
export interface SharedMemory {
  /** The stores of a process, which runs on while `pause` resolves and stops where it rejects. */
  connect(options: { clock: Clock; pause: Pause; onCommit?(claims: number): void }): InterleavedStores;
  /** For one process alone, to prepare rows. */
  readonly alone: MemoryStores;
  readonly committed: Tables;
  readonly jobs: () => readonly { readonly number: number; readonly job: Job; readonly runAt: Instant }[];
  copy(): SharedMemory;
}

type Statement = <R>(name: string, run: () => Promise<R>) => Promise<R>;
/** False: others have locked it, and it is not waited for. */
type Lock = (key: string, mode?: LockMode, whenLocked?: WhenLocked) => Promise<boolean>;

interface Parts {
  readonly lock: Lock;
  readonly statement: Statement;
  readonly events: AuditEvent[];
  readonly commit: () => Promise<void>;
}

interface SimulatedTransaction extends WriteTransaction {
  readonly tx: MemoryTx;
  readonly claims: ClaimStatements;
  commit(): Promise<void>;
  /** Of a statement; undefined: none. */
  failure(): unknown;
}

const claimRow = (id: string) => `claim ${id}`;
const memberRow = (firmId: string, svcId: string) => `membership ${firmId} ${svcId}`;
const feedRow = (firmId: string) => `feed ${firmId}`;

/**
 * Transactions at READ COMMITTED, as PostgreSQL runs them: a statement sees what is committed when it starts, waits for
 * the locks of other transactions and sees what they committed; statements of one transaction run in order.
 */
export function createSharedMemory(clock: Clock, database: Database = createDatabase()): SharedMemory {
  const locks = createRowLocks();
  return {
    committed: database.committed,
    alone: createMemoryStores({ clock, database }),
    jobs: () => database.committed.jobs.all(),
    copy: () => createSharedMemory(clock, database.copy()),
    connect({ clock, pause, onCommit = () => {} }) {
      const acquire = async (owner: object, key: string, mode: LockMode): Promise<void> => {
        for (;;) {
          let wake: () => void = () => {};
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          if (locks.acquire(owner, key, mode, wake)) return;
          await woken;
          await pause(`wake for ${key}`);
        }
      };

      /** Its statements run in the order of the calls, and not at all once one has failed. */
      const begin = (): SimulatedTransaction => {
        const draft = database.draft();
        const owner = {};
        const { tx: stores, end } = memoryTx(draft.tables, clock, database.nextNumber);
        const events: AuditEvent[] = [];
        let failure: unknown;
        let last: Promise<unknown> = Promise.resolve();
        const statement = <R>(name: string, run: () => Promise<R>): Promise<R> => {
          const result = last.then(async () => {
            if (failure !== undefined) throw failure;
            try {
              await pause(name);
              return await run();
            } catch (thrown) {
              const error =
                thrown instanceof UniqueViolation ? new ConcurrencyConflict(thrown.message) : thrown;
              // As in PostgreSQL, the rules' errors do not end the transaction.
              if (!(error instanceof DomainError)) failure = error;
              throw error;
            }
          });
          last = result.catch(() => {});
          return result;
        };
        const lock: Lock = async (key, mode = 'exclusive', whenLocked = 'wait') => {
          if (whenLocked === 'skip' && !locks.isFree(owner, key, mode)) return false;
          await acquire(owner, key, mode);
          return true;
        };
        const commit = async () => {
          for (const chain of [...new Set(events.map((event) => event.chain))].sort())
            await statement('audit', () => lock(`audit ${chain}`));
          await statement('commit', async () => {
            for (const event of events) appendEvent(draft.tables, event);
            draft.commit();
          });
        };
        const parts = { lock, statement, events, commit };
        return {
          tx: withLocks(stores, parts),
          claims: claimStatements(stores, parts),
          commit,
          commitSeconds: 0,
          failure: () => failure,
          async rollback() {
            await last;
            end();
            locks.release(owner);
          },
        };
      };

      const attempt = async <T>(work: (tx: MemoryTx) => Promise<T>): Promise<T> => {
        const transaction = begin();
        try {
          const result = await work(transaction.tx);
          await transaction.commit();
          return result;
        } catch (error) {
          throw transaction.failure() ?? error;
        } finally {
          await transaction.rollback();
        }
      };

      const again = () => pause('again');
      const unitOfWork: MemoryUnitOfWork = {
        async run(work) {
          const result = await repeatOnConflict(() => attempt(work), again);
          await pause('committed');
          return result;
        },
      };
      const metrics = {
        ...NO_METRICS,
        transactionCommitted: (_seconds: number, changed: readonly string[]) => onCommit(changed.length),
      };

      return {
        unitOfWork,
        claimWrites: groupedClaimWrites({ begin: async () => begin(), metrics }, ({ claims }) => claims, {
          maxTogether: MAX_TOGETHER,
          soon: (start) => void pause('group').then(start, start),
          pause: again,
        }),
        firmReads: pausing(memoryFirmReads(database.committed), pause),
        jobReads: pausing(memoryJobReads(database.committed), pause),
        async runJob(number, handler) {
          const row = database.committed.jobs.get(keyOf(number));
          if (row === undefined) return;
          await handler(row.job);
          await pause('job done');
          const draft = database.draft();
          draft.tables.jobs.delete(keyOf(number));
          draft.commit();
        },
      };
    },
  };
}

/** Reads outside of transactions: one statement each. */
const pausing = <R extends object>(reads: R, pause: Pause): R =>
  new Proxy(reads, {
    get: (target, name) => {
      const read = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        await pause(String(name));
        return read(...args);
      };
    },
  });

/** The stores of a transaction with the locks that the same statements take in PostgreSQL. */
function withLocks(tx: MemoryTx, { lock, statement, events }: Parts): MemoryTx {
  const accountRow = (svcId: string) => `account ${svcId}`;
  const { claims, memberships, carriers, adjusters } = tx;
  const plain = <S extends object>(store: S, storeName: string): S =>
    new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => statement(`${storeName}.${String(name)}`, () => method(...args));
      },
    });
  return {
    ...(Object.fromEntries(
      Object.entries(tx).map(([name, store]) => [name, plain(store as object, name)]),
    ) as unknown as MemoryTx),
    claims: {
      ...plain(claims, 'claims'),
      lock: (firmId, id) =>
        statement('claims.lock', async () => {
          await lock(claimRow(id));
          return claims.lock(firmId, id);
        }),
      lockOfferedTo: (svcId, id) =>
        statement('claims.lockOfferedTo', async () => {
          const offered = await claims.lockOfferedTo(svcId, id);
          if (offered === null) return null;
          await lock(memberRow(offered.claim.firmId, svcId), 'shared');
          await lock(claimRow(id));
          return claims.lockOfferedTo(svcId, id);
        }),
      lockAny: (id) =>
        statement('claims.lockAny', async () => {
          await lock(claimRow(id));
          return claims.lockAny(id);
        }),
      lockPendingOf: (firmId, svcId) =>
        statement('claims.lockPendingOf', async () => {
          const ids = (await claims.lockPendingOf(firmId, svcId)).map(({ id }) => id).sort();
          for (const id of ids) await lock(claimRow(id));
          // Rows that the statement did not find when it started stay unlocked and unseen.
          return (await claims.lockPendingOf(firmId, svcId)).filter(({ id }) => ids.includes(id));
        }),
      save: (claim) =>
        statement('claims.save', async () => {
          await lock(feedRow(claim.firmId));
          await lock(claimRow(claim.id));
          return claims.save(claim);
        }),
      saveWithoutTimestamp: (claim) =>
        statement('claims.saveWithoutTimestamp', async () => {
          await lock(claimRow(claim.id));
          return claims.saveWithoutTimestamp(claim);
        }),
    },
    carriers: {
      ...plain(carriers, 'carriers'),
      lock: (firmId, name) =>
        statement('carriers.lock', async () => {
          await lock(`carrier ${firmId} ${carrierNameKey(name)}`);
          return carriers.lock(firmId, name);
        }),
    },
    memberships: {
      ...plain(memberships, 'memberships'),
      lock: (firmId, svcId) =>
        statement('memberships.lock', async () => {
          await lock(memberRow(firmId, svcId));
          return memberships.lock(firmId, svcId);
        }),
      save: (membership) =>
        statement('memberships.save', async () => {
          await lock(memberRow(membership.firmId, membership.svcId));
          return memberships.save(membership);
        }),
    },
    adjusters: {
      ...plain(adjusters, 'adjusters'),
      lock: (svcId) =>
        statement('adjusters.lock', async () => {
          await lock(accountRow(svcId));
          return adjusters.lock(svcId);
        }),
      setDisabled: (svcId, at) =>
        statement('adjusters.setDisabled', async () => {
          await lock(accountRow(svcId));
          return adjusters.setDisabled(svcId, at);
        }),
    },
    // The head of the chain is updated just before the commit.
    audit: { record: async (event) => void events.push(event) },
  };
}

/** The statements of `ClaimWrites` with the locks that they take in PostgreSQL. */
function claimStatements(tx: MemoryTx, { lock, statement, events, commit }: Parts): ClaimStatements {
  const { claims, claimWrites, outbox } = tx;
  /** Writes what belongs to the claims, then those whose feed is not left out, and commits. */
  async function write(
    decided: readonly Decided[],
    whenLocked: WhenLocked,
    put: (claim: Claim) => Promise<Claim>,
  ): Promise<Map<ClaimId, Instant>> {
    await statement('bind', async () => {
      for (const { request, claim } of decided) {
        if (request === undefined) continue;
        const { firmId, environment, key } = request.slot;
        await lock(`idempotency ${keyOf(firmId, environment, key)}`);
        await claimWrites.bind(request, claim.id);
      }
    });
    await statement('jobs', async () => {
      for (const { job, runAt } of decided.flatMap(({ jobs }) => jobs)) await outbox.add(job, runAt);
    });
    const saved = new Map<ClaimId, Instant>();
    await statement('claims', async () => {
      const locked = new Set<string>();
      for (const firmId of [...new Set(decided.map(({ claim }) => claim.firmId))].sort())
        if (await lock(feedRow(firmId), 'exclusive', whenLocked)) locked.add(firmId);
      for (const { claim, event } of decided) {
        if (!locked.has(claim.firmId)) continue;
        saved.set(claim.id, (await put(claim)).updatedAt);
        events.push(event);
      }
    });
    await commit();
    return saved;
  }
  return {
    lockMemberships: (requests, whenLocked) =>
      statement('lock memberships', async () => {
        const found: (Membership | null)[] = [];
        for (const { slot, adjuster } of requests) {
          const isLocked = await lock(memberRow(slot.firmId, adjuster), 'shared', whenLocked);
          found.push(isLocked ? await claimWrites.lockMembership(slot.firmId, adjuster) : null);
        }
        return found;
      }),
    lockClaims: (requests, whenLocked) =>
      statement('lock claims', async () => {
        const found: (Claim | null)[] = [];
        for (const { slot, claimId } of requests) {
          const isLocked = claimId !== undefined && (await lock(claimRow(claimId), 'exclusive', whenLocked));
          found.push(isLocked ? await claims.lock(slot.firmId, claimId) : null);
        }
        return found;
      }),
    facts: (requests) =>
      statement('facts', () => Promise.all(requests.map((request) => claimWrites.facts(request)))),
    lockAndCountPending: () => Promise.reject(new Error('No simulated adjuster has a limit of offers.')),
    lockOffered: (responses, whenLocked) =>
      statement('lock offered', async () => {
        const found: OfferedClaim[] = [];
        for (const { svcId, id } of responses) {
          const before = await claims.lockOfferedTo(svcId, id);
          if (before === null) continue;
          if (!(await lock(memberRow(before.claim.firmId, svcId), 'shared', whenLocked))) continue;
          if (!(await lock(claimRow(id), 'exclusive', whenLocked))) continue;
          const offered = await claims.lockOfferedTo(svcId, id);
          if (offered !== null) found.push(offered);
        }
        return found;
      }),
    async add(decided) {
      await statement('carriers', async () => {
        const byKey = [...decided].sort((a, b) => compare(carrierRow(a.claim), carrierRow(b.claim)));
        for (const { claim } of byKey) {
          await lock(carrierRow(claim));
          await claimWrites.mergeCarrier(claim.firmId, claim.carrier);
        }
      });
      return write(decided, 'wait', async (claim) => {
        await lock(`external id ${keyOf(claim.firmId, claim.environment, claim.externalId)}`);
        return claimWrites.add(claim);
      });
    },
    save: (decided, whenLocked) => write(decided, whenLocked, (claim) => claims.save(claim)),
  };
}

const carrierRow = ({ firmId, carrier }: Claim) => `carrier ${firmId} ${carrierNameKey(carrier.name)}`;
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
