import { Writable } from 'node:stream';
import type { FirmId, Purpose, Svcid, TestBehavior } from '@svc/domain';
import { readConfig } from '../../apps/api/src/config.ts';
import { TOKENS } from '../../apps/api/src/container/tokens.ts';
import { migrateDatabase, wire } from '../../apps/api/src/container/wire.ts';
import { createLog } from '../../apps/api/src/logging.ts';

export interface MadeFirm {
  readonly id: string;
  readonly live: string;
  readonly test: string;
  readonly accounts: Readonly<Record<TestBehavior, string>>;
}

/** What an operator prepares beforehand. */
export interface Operator {
  firm(name: string, options?: { limited?: boolean }): Promise<MadeFirm>;
  adjuster(svcId: string): Promise<{ token: string }>;
  session(svcId: string): Promise<string>;
  member(firmId: string, svcId: string): Promise<void>;
  key(firmId: string, purpose: Purpose): Promise<string>;
  /** Has these adjusters take claims again. */
  resume(firmId: string, svcIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function createOperator(databaseUrl: string): Promise<Operator> {
  const log = createLog({
    level: 'error',
    format: 'json',
    stream: new Writable({ write: (_c, _e, done) => done() }),
  });
  await migrateDatabase(databaseUrl, log);
  const wired = await wire({
    config: { ...readConfig({}, false), redisUrls: [], dbPoolMax: 4 },
    databaseUrl,
    log,
    addresses: { baseUrl: '', docsUrl: '' },
    isDraining: () => false,
    observe: () => {},
  });
  const { wiring } = wired;
  const session = async (svcId: string): Promise<string> =>
    (await wiring.get(TOKENS.openSession)(svcId as Svcid)).token;
  return {
    session,
    async firm(name, { limited = false } = {}) {
      const { firm, testAccounts } = await wiring.get(TOKENS.createFirm)({ name, plan: 'standard' });
      if (!limited) {
        const many = 1_000_000;
        await wiring.get(TOKENS.setLimits)(firm.id, {
          requestsPerMinute: many,
          writesPerMinute: many,
          burst: many,
        });
      }
      const key = async (environment: 'live' | 'test'): Promise<string> => {
        const command = { firmId: firm.id, environment, purpose: 'full_access', lifetime: null } as const;
        return (await wiring.get(TOKENS.createKey)(command)).secret;
      };
      return {
        id: firm.id,
        live: await key('live'),
        test: await key('test'),
        accounts: Object.fromEntries(
          testAccounts.map(({ behavior, svcId }) => [behavior, svcId]),
        ) as unknown as Record<TestBehavior, string>,
      };
    },
    async adjuster(svcId) {
      await wiring.get(TOKENS.createAdjuster)({
        svcId: svcId as Svcid,
        firstName: 'Jean',
        lastName: 'Delacroix',
        email: `${svcId.toLowerCase()}@example.com`,
      });
      return { token: await session(svcId) };
    },
    async member(firmId, svcId) {
      await wiring.get(TOKENS.addMember)(firmId as FirmId, svcId as Svcid);
    },
    async key(firmId, purpose) {
      const command = { firmId: firmId as FirmId, environment: 'live', purpose, lifetime: null } as const;
      return (await wiring.get(TOKENS.createKey)(command)).secret;
    },
    async resume(firmId, svcIds) {
      const { setAcceptingAssignments } = wiring.get(TOKENS.appRouteDeps);
      for (const svcId of svcIds) {
        // Who has left meanwhile has nothing to resume.
        await setAcceptingAssignments({ svcId: svcId as Svcid }, firmId as FirmId, true).catch(() => {});
      }
    },
    close: () => wired.close(),
  };
}
