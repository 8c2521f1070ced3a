import { createMemoryStores, type MemoryStores } from '@svc/adapter-memory';
import {
  appendEvent,
  createDatabase,
  type Database,
  keyOf,
  type MemoryTx,
  type MemoryUnitOfWork,
  memoryClaimWrites,
  memoryFirmReads,
  memoryJobReads,
  memoryTx,
  type Tables,
  UniqueViolation,
} from '@svc/adapter-memory/parts';
import {
  type AuditEvent,
  type ClaimWrites,
  type Clock,
  type FirmReads,
  type Job,
  type JobReads,
  Unavailable,
} from '@svc/application';
import { carrierNameKey, type Instant } from '@svc/domain';
import { createRowLocks, type LockMode } from './row-locks.ts';

/** Where transactions of several processes interleave: before each statement, lock and commit, and after each commit. */
export type Pause = (point: string) => Promise<void>;

/** The stores of one simulated process. */
export interface InterleavedStores {
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
  connect(options: { clock: Clock; pause: Pause }): InterleavedStores;
  /** For one process alone, to prepare rows. */
  readonly alone: MemoryStores;
  readonly committed: Tables;
  readonly jobs: () => readonly { readonly number: number; readonly job: Job; readonly runAt: Instant }[];
  copy(): SharedMemory;
}

const MAX_ATTEMPTS = 5;

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
    connect({ clock, pause }) {
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

      const attempt = async <T>(work: (tx: MemoryTx) => Promise<T>): Promise<T> => {
        const draft = database.draft();
        const owner = {};
        const { tx: stores, end } = memoryTx(draft.tables, clock, database.nextNumber);
        const events: AuditEvent[] = [];
        let failure: unknown;
        let last: Promise<unknown> = Promise.resolve();
        /** Sends a statement: it runs after those sent before, and not at all once one has failed. */
        const statement = <R>(name: string, run: () => Promise<R>): Promise<R> => {
          const result = last.then(async () => {
            if (failure !== undefined) throw failure;
            try {
              await pause(name);
              return await run();
            } catch (error) {
              // As in PostgreSQL, the rules' errors do not end the transaction.
              if (!(error instanceof Error && error.name === 'DomainError')) failure = error;
              throw error;
            }
          });
          last = result.catch(() => {});
          return result;
        };
        const lock = (key: string, mode: LockMode = 'exclusive') => acquire(owner, key, mode);
        const tx = withLocks(stores, { lock, statement, events });
        try {
          const result = await work(tx);
          for (const chain of [...new Set(events.map((event) => event.chain))].sort())
            await statement('audit', () => lock(`audit ${chain}`));
          await statement('commit', async () => {
            for (const event of events) appendEvent(draft.tables, event);
            draft.commit();
          });
          return result;
        } catch (error) {
          throw failure instanceof UniqueViolation ? failure : error;
        } finally {
          end();
          locks.release(owner);
        }
      };

      const unitOfWork: MemoryUnitOfWork = {
        async run(work) {
          for (let count = 1; ; count += 1) {
            try {
              const result = await attempt(work);
              await pause('committed');
              return result;
            } catch (error) {
              if (!(error instanceof UniqueViolation)) throw error;
              if (count === MAX_ATTEMPTS)
                throw new Unavailable('Too many concurrent changes to the same rows.');
            }
          }
        },
      };

      return {
        unitOfWork,
        claimWrites: memoryClaimWrites(unitOfWork),
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
function withLocks(
  tx: MemoryTx,
  {
    lock,
    statement,
    events,
  }: {
    readonly lock: (key: string, mode?: LockMode) => Promise<void>;
    readonly statement: <R>(name: string, run: () => Promise<R>) => Promise<R>;
    readonly events: AuditEvent[];
  },
): MemoryTx {
  const claimRow = (id: string) => `claim ${id}`;
  const memberRow = (firmId: string, svcId: string) => `membership ${firmId} ${svcId}`;
  const feedRow = (firmId: string) => `feed ${firmId}`;
  const accountRow = (svcId: string) => `account ${svcId}`;
  const { claims, claimWrites, memberships, carriers, adjusters } = tx;
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
    claimWrites: {
      ...plain(claimWrites, 'claimWrites'),
      lockMembership: (firmId, svcId) =>
        statement('claimWrites.lockMembership', async () => {
          await lock(memberRow(firmId, svcId), 'shared');
          return claimWrites.lockMembership(firmId, svcId);
        }),
      bind: (request, claimId) =>
        statement('claimWrites.bind', async () => {
          const { firmId, environment, key } = request.slot;
          await lock(`idempotency ${keyOf(firmId, environment, key)}`);
          return claimWrites.bind(request, claimId);
        }),
      mergeCarrier: (firmId, sent) =>
        statement('claimWrites.mergeCarrier', async () => {
          await lock(`carrier ${firmId} ${carrierNameKey(sent.name)}`);
          return claimWrites.mergeCarrier(firmId, sent);
        }),
      add: (claim) =>
        statement('claimWrites.add', async () => {
          await lock(feedRow(claim.firmId));
          await lock(`external id ${keyOf(claim.firmId, claim.environment, claim.externalId)}`);
          return claimWrites.add(claim);
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
