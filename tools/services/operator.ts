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
  StaffRole,
  Svcid,
  TestBehavior,
} from '@svc/domain';

export type TestFirm = Awaited<ReturnType<Operator['firm']>>;

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

const UNLIMITED: LimitOverrides = {
  requestsPerMinute: 1_000_000,
  writesPerMinute: 1_000_000,
  burst: 1_000_000,
};

const AUDIT_PAGE_ROWS = 1_000;

let adjusters = 0;
let staff = 0;

export type Operator = ReturnType<typeof operatorOf>;

/** The operator commands of `svc`, without starting a process for each. */
export function operatorOf(services: Services) {
  const key = async (
    firmId: string,
    { environment = 'live', purpose = 'full_access' }: { environment?: Environment; purpose?: Purpose } = {},
  ) => {
    const command = { firmId: firmId as FirmId, environment, purpose, lifetimeMs: null };
    const issued = await services.createKey(services.operator, command);
    return { id: issued.key.id as string, secret: issued.secret };
  };
  const session = async (svcId: string): Promise<string> =>
    (await services.openSession(svcId as Svcid)).token;
  /** A real adjuster with a complete profile and a session, not yet a member of a firm. */
  const adjuster = async (profile: Partial<Profile> = {}) => {
    adjusters += 1;
    const svcId = (profile.svcId ?? `SVC-${adjusters}-${Math.random().toString(36).slice(2, 8)}`) as Svcid;
    await services.createAdjuster({
      firstName: 'Jean',
      lastName: 'Delacroix',
      email: `${svcId.toLowerCase()}@example.com`,
      ...profile,
      svcId,
    });
    return { svcId, token: await session(svcId) };
  };
  const addMember = async (firmId: string, svcId: string): Promise<void> => {
    await services.addMember(firmId as FirmId, svcId as Svcid);
  };
  return {
    ...{ services, key, session, adjuster, addMember },
    /** A firm with a live and a test key, and without rate limits unless `limited`. */
    async firm({
      name = 'Gulf Adjusting Partners',
      limited = false,
      plan = 'standard',
    }: {
      name?: string;
      limited?: boolean;
      plan?: Plan;
    } = {}) {
      const { firm, testAccounts } = await services.createFirm({ name, plan });
      if (!limited) await services.setLimits(firm.id, UNLIMITED);
      return {
        id: firm.id,
        /** Secrets of its keys. */
        live: (await key(firm.id)).secret,
        test: (await key(firm.id, { environment: 'test' })).secret,
        /** SVCIDs of the firm's test accounts. */
        account: Object.fromEntries(testAccounts.map(({ behavior, svcId }) => [behavior, svcId])) as Record<
          TestBehavior,
          Svcid
        >,
        signInSecret: Object.fromEntries(
          testAccounts.map(({ behavior, signInSecret }) => [behavior, signInSecret]),
        ) as Record<TestBehavior, string>,
      };
    },
    async revoke(keyId: string) {
      await services.revokeKey(services.operator, keyId as KeyId);
    },
    /** Grants or removes the permission to accept claims. */
    async setMember(firmId: string, svcId: string, canAcceptClaims: boolean) {
      await services.setMember(firmId as FirmId, svcId as Svcid, canAcceptClaims);
    },
    async setEnabled(svcId: string, isEnabled: boolean) {
      await services[isEnabled ? 'enableAdjuster' : 'disableAdjuster'](svcId as Svcid);
    },
    async closeClaim(id: string) {
      await services.closeClaimAsOperator(id as ClaimId);
    },
    /** A real adjuster who is a member of the firm. */
    async member(firmId: string) {
      const joined = await adjuster();
      await addMember(firmId, joined.svcId);
      return joined;
    },
    /** A staff member of the firm, signed in to its desk. */
    async staff(firmId: string, role: StaffRole = 'admin') {
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
    /** Verifies the chain of a firm, or of the service without one. */
    async audit(firmId: string = SERVICE_CHAIN): Promise<Audit> {
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
}

/** Works on the database directly, after migrating it. */
export async function openOperator(databaseUrl: string) {
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
