import { Writable } from 'node:stream';
import type {
  Environment,
  FirmId,
  KeyId,
  LimitOverrides,
  Plan,
  Purpose,
  Svcid,
  TestBehavior,
} from '@svc/domain';
import { readConfig } from '../../apps/api/src/config.ts';
import { TOKENS, type Wiring } from '../../apps/api/src/container/tokens.ts';
import { wire } from '../../apps/api/src/container/wire.ts';
import { createLog } from '../../apps/api/src/logging.ts';

export interface ClusterFirm {
  readonly id: FirmId;
  readonly live: string;
  readonly test: string;
  /** SVCIDs of the firm's test accounts. */
  readonly account: Readonly<Record<TestBehavior, Svcid>>;
}

/** What an operator does with `svc`, without starting a process for each line of it. */
export interface Operator {
  readonly wiring: Wiring;
  /** A firm with a live and a test key. Its limits are out of the way unless it is to be limited. */
  firm(options?: { limited?: boolean; plan?: Plan }): Promise<ClusterFirm>;
  key(
    firmId: FirmId,
    options?: { environment?: Environment; purpose?: Purpose },
  ): Promise<{ id: string; secret: string }>;
  revoke(keyId: string): Promise<void>;
  /** A real adjuster with a full profile and a session, who is a member of the firm. */
  member(firmId: FirmId): Promise<{ svcId: Svcid; token: string }>;
  session(svcId: string): Promise<string>;
  close(): Promise<void>;
}

const MANY: LimitOverrides = { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000, burst: 1_000_000 };

let adjusters = 0;

/** The schema has to be there. */
export async function openOperator(databaseUrl: string): Promise<Operator> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const wired = await wire({
    config: { ...readConfig({ DATABASE_URL: databaseUrl }, false), dbPoolMax: 2 },
    databaseUrl,
    log: createLog({ level: 'error', format: 'json', stream: nowhere }),
    addresses: { baseUrl: '', docsUrl: '' },
    isDraining: () => false,
    observe: () => {},
  });
  const { wiring } = wired;
  const key: Operator['key'] = async (firmId, { environment = 'live', purpose = 'full_access' } = {}) => {
    const made = await wiring.get(TOKENS.createKey)({ firmId, environment, purpose, lifetime: null });
    return { id: made.key.id, secret: made.secret };
  };
  const session = async (svcId: string): Promise<string> =>
    (await wiring.get(TOKENS.openSession)(svcId as Svcid)).token;
  return {
    wiring,
    key,
    session,
    async revoke(keyId) {
      await wiring.get(TOKENS.revokeKey)(keyId as KeyId);
    },
    async firm({ limited = false, plan = 'standard' } = {}) {
      const { firm, testAccounts } = await wiring.get(TOKENS.createFirm)({
        name: 'Gulf Adjusting Partners',
        plan,
      });
      if (!limited) await wiring.get(TOKENS.setLimits)(firm.id, MANY);
      return {
        id: firm.id,
        live: (await key(firm.id)).secret,
        test: (await key(firm.id, { environment: 'test' })).secret,
        account: Object.fromEntries(
          testAccounts.map(({ behavior, svcId }) => [behavior, svcId]),
        ) as ClusterFirm['account'],
      };
    },
    async member(firmId) {
      adjusters += 1;
      const svcId = `SVC-C${adjusters}-${Math.random().toString(36).slice(2, 8)}` as Svcid;
      await wiring.get(TOKENS.createAdjuster)({
        svcId,
        firstName: 'Jean',
        lastName: 'Delacroix',
        email: `${svcId.toLowerCase()}@example.com`,
      });
      await wiring.get(TOKENS.addMember)(firmId, svcId);
      return { svcId, token: await session(svcId) };
    },
    close: () => wired.close(),
  };
}
