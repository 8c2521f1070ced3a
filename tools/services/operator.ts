import { Writable } from 'node:stream';
import { sha256 } from '@svc/adapter-credentials';
import { compose, createLog, migrateDatabase, readConfig, type Services } from '@svc/api/tooling';
import { type AuditRow, auditEntriesFrom, SERVICE_CHAIN, verifyAuditChain } from '@svc/application';
import type {
  ClaimId,
  Environment,
  FirmId,
  KeyId,
  LimitOverrides,
  Plan,
  Purpose,
  StaffId,
  StaffRole,
  Svcid,
  TestBehavior,
} from '@svc/domain';

export interface TestFirm {
  readonly id: FirmId;
  /** Secrets of its keys. */
  readonly live: string;
  readonly test: string;
  /** SVCIDs of the firm's test accounts. */
  readonly account: Readonly<Record<TestBehavior, Svcid>>;
  readonly signInSecret: Readonly<Record<TestBehavior, string>>;
}

export interface Profile {
  readonly svcId: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
}

/** What the audit trail of a firm shows. */
export interface Audit {
  /** The first row that is missing or changed; null: the chain is intact. */
  readonly problem: string | null;
  /** Actions that succeeded: action and object, such as `claim.accept claim:ID`. */
  readonly actions: ReadonlySet<string>;
  /** By seq, with what each row is about. */
  readonly rows: ReadonlyMap<number, { readonly hash: string; readonly objects: ReadonlySet<string> }>;
}

/** The operator commands of `svc`, without starting a process for each. */
export interface Operator {
  readonly services: Services;
  /** A firm with a live and a test key, and without rate limits unless `limited`. */
  firm(options?: { name?: string; limited?: boolean; plan?: Plan }): Promise<TestFirm>;
  key(
    firmId: string,
    options?: { environment?: Environment; purpose?: Purpose },
  ): Promise<{ id: string; secret: string }>;
  revoke(keyId: string): Promise<void>;
  /** A real adjuster with a complete profile and a session, not yet a member of a firm. */
  adjuster(profile?: Partial<Profile>): Promise<{ svcId: Svcid; token: string }>;
  addMember(firmId: string, svcId: string): Promise<void>;
  /** Grants or removes the permission to accept claims. */
  setMember(firmId: string, svcId: string, canAcceptClaims: boolean): Promise<void>;
  /** Enables or disables an adjuster's account. */
  setEnabled(svcId: string, isEnabled: boolean): Promise<void>;
  closeClaim(id: string): Promise<void>;
  /** A real adjuster who is a member of the firm. */
  member(firmId: string): Promise<{ svcId: Svcid; token: string }>;
  session(svcId: string): Promise<string>;
  /** A staff member of the firm, signed in to its desk. */
  staff(firmId: string, role?: StaffRole): Promise<{ id: StaffId; email: string; token: string }>;
  /** Verifies the chain of a firm, or of the service without one. */
  audit(firmId?: string): Promise<Audit>;
}

const UNLIMITED: LimitOverrides = {
  requestsPerMinute: 1_000_000,
  writesPerMinute: 1_000_000,
  burst: 1_000_000,
};

const AUDIT_PAGE_ROWS = 1_000;

let adjusters = 0;
let staff = 0;

export function operatorOf(services: Services): Operator {
  const operator: Operator = {
    services,
    async firm({ name = 'Gulf Adjusting Partners', limited = false, plan = 'standard' } = {}) {
      const { firm, testAccounts } = await services.createFirm({ name, plan });
      if (!limited) await services.setLimits(firm.id, UNLIMITED);
      return {
        id: firm.id,
        live: (await operator.key(firm.id)).secret,
        test: (await operator.key(firm.id, { environment: 'test' })).secret,
        account: Object.fromEntries(
          testAccounts.map(({ behavior, svcId }) => [behavior, svcId]),
        ) as TestFirm['account'],
        signInSecret: Object.fromEntries(
          testAccounts.map(({ behavior, signInSecret }) => [behavior, signInSecret]),
        ) as TestFirm['signInSecret'],
      };
    },
    async key(firmId, { environment = 'live', purpose = 'full_access' } = {}) {
      const command = { firmId: firmId as FirmId, environment, purpose, lifetimeMs: null };
      const { key, secret } = await services.createKey(services.operator, command);
      return { id: key.id, secret };
    },
    async revoke(keyId) {
      await services.revokeKey(services.operator, keyId as KeyId);
    },
    async adjuster(profile = {}) {
      adjusters += 1;
      const svcId = (profile.svcId ?? `SVC-${adjusters}-${Math.random().toString(36).slice(2, 8)}`) as Svcid;
      await services.createAdjuster({
        firstName: 'Jean',
        lastName: 'Delacroix',
        email: `${svcId.toLowerCase()}@example.com`,
        ...profile,
        svcId,
      });
      return { svcId, token: await operator.session(svcId) };
    },
    async addMember(firmId, svcId) {
      await services.addMember(firmId as FirmId, svcId as Svcid);
    },
    async setMember(firmId, svcId, canAcceptClaims) {
      await services.setMember(firmId as FirmId, svcId as Svcid, canAcceptClaims);
    },
    async setEnabled(svcId, isEnabled) {
      await services[isEnabled ? 'enableAdjuster' : 'disableAdjuster'](svcId as Svcid);
    },
    async closeClaim(id) {
      await services.closeClaimAsOperator(id as ClaimId);
    },
    async member(firmId) {
      const joined = await operator.adjuster();
      await operator.addMember(firmId, joined.svcId);
      return joined;
    },
    async session(svcId) {
      return (await services.openSession(svcId as Svcid)).token;
    },
    async staff(firmId, role = 'admin') {
      staff += 1;
      const member = await services.inviteStaff(services.operator, {
        firmId: firmId as FirmId,
        name: 'Priya Natarajan',
        email: `priya-${staff}-${Math.random().toString(36).slice(2, 8)}@example.com`,
        role,
      });
      const { token } = await services.openStaffSession(services.operator, member);
      return { id: member.staffId, email: member.email, token };
    },
    async audit(firmId = SERVICE_CHAIN) {
      const reads = services.auditReads;
      const chain = firmId as FirmId;
      const verified = await verifyAuditChain({ reads, sha256 }, chain);
      const actions = new Set<string>();
      const found: Map<number, { hash: string; objects: Set<string> }> = new Map();
      for (let after: number | undefined = 0; after !== undefined; ) {
        const rows: AuditRow[] = await reads.rows(chain, { after, limit: AUDIT_PAGE_ROWS });
        for (const { seq, hash, text } of rows) {
          const entries = auditEntriesFrom(text);
          found.set(seq, { hash, objects: new Set(entries.flatMap(({ object }) => object ?? [])) });
          for (const { action, object, outcome } of entries)
            if (outcome === 'ok' && object !== null) actions.add(`${action} ${object}`);
        }
        after = rows.at(-1)?.seq;
      }
      if (verified?.intact) return { problem: null, actions, rows: found };
      return {
        problem: verified === null ? 'no chain' : `row ${verified.seq} is ${verified.problem}`,
        actions,
        rows: found,
      };
    },
  };
  return operator;
}

export interface ClosableOperator extends Operator {
  close(): Promise<void>;
}

/** Works on the database directly, after migrating it. */
export async function openOperator(databaseUrl: string): Promise<ClosableOperator> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog({ level: 'error', format: 'json', stream: discard });
  await migrateDatabase(databaseUrl, log);
  const composed = await compose({
    config: { ...readConfig({}, false), dbPoolMax: 10 },
    databaseUrl,
    log,
    addresses: { baseUrl: '', docsUrl: '', supportEmail: '' },
  });
  return { ...operatorOf(composed.services), close: () => composed.close() };
}
