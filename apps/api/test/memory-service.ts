import { createMemoryStores } from '@svc/adapter-memory';
import type { connect, PostgresStores } from '@svc/adapter-postgres';
import { createFixedClock } from '@svc/testkit';

type Options = Parameters<typeof connect>[0];

/** Stores in memory, in the place of those on PostgreSQL, with what they are opened with and how they are closed. */
export function memoryConnection(changes: Partial<PostgresStores> = {}) {
  const clock = createFixedClock();
  const memory = createMemoryStores({ clock });
  const opened: Options[] = [];
  const steps: string[] = [];
  const stores: PostgresStores = {
    ...memory,
    clock,
    clockAheadMs: () => 0,
    behindPooler: false,
    encryption: {
      status: async () => ({ wrappingKeyId: null, dataKeys: [], plainRows: {}, rejectsPlainText: false }),
      rewrap: async () => 0,
      encryptExisting: async () => 0,
    },
    metricSources: {
      pools: () => [],
      queue: async () => ({ due: 0, scheduled: 0, running: 0, failed: 0, oldestDueSeconds: 0 }),
      overdueOffers: async () => 0,
      replication: async () => null,
      maintenance: async () => ({ archive: null, transactionIdAge: 0, multixactIdAge: 0 }),
      webhookEndpoints: async () => ({ active: 0, failing: 0, paused: 0 }),
    },
    ping: async () => {},
    checkEncryptionKeys: async () => {},
    serviceSecret: async (name) => Buffer.from(name.padEnd(32)),
    startJobs: () => {
      throw new Error('Jobs run on PostgreSQL.');
    },
    purge: () => {
      throw new Error('Rows expire on PostgreSQL.');
    },
    close: async () => void steps.push('close'),
    ...changes,
  };
  const connectTo: typeof connect = async (options) => {
    opened.push(options);
    return stores;
  };
  return { clock, memory, stores, opened, steps, connectTo };
}
