import {
  type AdjusterView,
  type AuditCaller,
  type AuditChainId,
  type AuditEntry,
  type AuditEvent,
  accountUseCases,
  auditEntriesFrom,
  byOperator,
  type ChannelChoice,
  claimUseCases,
  createApiKeyAuthenticator,
  createSessionAuthenticator,
  createWebhookDeliveries,
  createWriteBuffer,
  type DataEncryption,
  type FirmActor,
  type IdempotentResult,
  importUseCases,
  invalidatingSessions,
  type Job,
  type KeysetPosition,
  keyUseCases,
  type Made,
  type Mailer,
  makeRunJob,
  memberUseCases,
  NO_METRICS,
  NO_USED_KEYS,
  type Notification,
  type Notifier,
  type OfferEvent,
  operationUseCases,
  type Page,
  type PageRequest,
  type PasskeyVerifier,
  type PushSubscription,
  type RateLimiter,
  type ReceiptSigner,
  type SignInFailure,
  type SignInMonitor,
  type SignInProof,
  type Stores,
  verifyAuditChain,
  type WebhookMessage,
  type WebhookResult,
  type WebhookSender,
  type WriteBuffer,
  webhookUseCases,
  type ZipDistance,
} from '@svc/application';
import {
  type Adjuster,
  type ClaimId,
  DAY,
  type FirmId,
  type Instant,
  type InvitationNotes,
  NO_NOTES,
  type Plan,
  type StaffMember,
  type StaffRole,
  type Svcid,
  type TestBehavior,
} from '@svc/domain';
import { type ClaimToSend, testClaim } from './claim-builder.ts';
import { createCountingIds } from './counting-ids.ts';
import type { FixedClock } from './fixed-clock.ts';
import { createTestPasskeyVerifier } from './test-passkeys.ts';
import { createTestSecrets, sha256 } from './test-secrets.ts';

/** The stores, and the jobs of their outbox. */
export interface TestStores extends Stores {
  /** Rows of several firms cannot be locked, so that two processes may, rarely, signal one change. */
  readonly distributed?: boolean;
  readonly jobs: {
    /** Committed jobs that have not run. */
    pending(): Promise<readonly { readonly job: Job; readonly runAt: Instant }[]>;
  };
}

export interface TestFirm {
  readonly id: FirmId;
  readonly name: string;
  readonly live: FirmActor;
  readonly test: FirmActor;
  readonly accounts: Readonly<Record<TestBehavior, Svcid>>;
  readonly signInSecrets: Readonly<Record<TestBehavior, string>>;
}

export interface SendOptions {
  readonly claim?: ClaimToSend;
  readonly idempotencyKey?: string;
  readonly fingerprint?: string;
}

/** Records emails and notifications instead of sending them. */
export interface ExternalServices {
  /** Codes, and what for. */
  readonly mails: { readonly email: string; readonly code: string; readonly of: 'sign_in' | 'new_address' }[];
  readonly signInFailures: SignInFailure[];
  readonly notices: { readonly email: string; readonly event: string }[];
  /** What endpoints were sent, with the time of the signature, and how long they had. */
  readonly webhooks: (WebhookMessage & { readonly at: Instant; readonly timeoutMs: number })[];
  /** What endpoints answer, by URL; default: 204. */
  readonly webhookResults: Map<string, WebhookResult>;
  readonly pausedWebhooks: string[];
  readonly notifications: ({ readonly svcId: Svcid; readonly notification: Notification } & ChannelChoice)[];
}

/** Address of clients in tests that do not specify one. */
const CLIENT_ADDRESS = '192.0.2.1';
const DESK_ADDRESS = '192.0.2.2';
const REQUEST_ID = '0b8f1b5e-3c1a-4a53-9a3e-6f3a1f5a2f10';
/** Whom the fixture's operator commands are recorded for. */
export const OPERATOR = byOperator('test-operator');

/** Receipts as their payload. */
const unsignedReceipts: ReceiptSigner = {
  sign: async (payload) => JSON.stringify(payload),
  publicKeys: async () => [],
};

/** As if neighboring codes were a mile apart. */
const zipDistance: ZipDistance = (from, to) =>
  [from, to].includes('00000') ? null : Math.abs(Number(from) - Number(to));

const noEncryption: DataEncryption = {
  status: async () => ({ wrappingKeyId: null, dataKeys: [], plainRows: {}, rejectsPlainText: false }),
  rewrap: async () => 0,
  encryptExisting: async () => 0,
};

/** Each of these services, made of `deps` as the service's container makes it. */
const makeEach = <Deps, Makes extends Readonly<Record<string, (deps: Deps) => unknown>>>(
  makes: Makes,
  deps: Deps,
): Made<Makes> =>
  Object.fromEntries(Object.entries(makes).map(([name, make]) => [name, make(deps)])) as Made<Makes>;

/** A use case of several callers, for the operator. */
const byTestOperator =
  <Args extends unknown[], T>(act: (caller: AuditCaller, ...args: Args) => T) =>
  (...args: Args): T =>
    act(OPERATOR, ...args);

function composeUseCases(
  stores: TestStores,
  support: {
    clock: FixedClock;
    secrets: ReturnType<typeof createTestSecrets>;
    ids: ReturnType<typeof createCountingIds>;
    external: ExternalServices;
    auditBuffer: WriteBuffer<AuditEvent>;
    offerBuffer: WriteBuffer<OfferEvent>;
    passkeyVerifier: PasskeyVerifier;
    passkeysRequired: boolean;
  },
) {
  const { clock, secrets, external, passkeysRequired } = support;
  const { unitOfWork, credentials } = stores;
  const sessionAuthenticator = createSessionAuthenticator({ credentials, secrets, clock, passkeysRequired });
  const uow = invalidatingSessions({ unitOfWork, sessionAuthenticator });
  const mailer: Mailer = {
    async sendSignInCode(email, code) {
      external.mails.push({ email, code, of: 'sign_in' });
    },
    async sendEmailCode(email, code) {
      external.mails.push({ email, code, of: 'new_address' });
    },
    async sendStaffInvitation(email, firmName) {
      external.notices.push({ email, event: `staff_invited ${firmName}` });
    },
    async sendLateOffers(email, firmName, count) {
      external.notices.push({ email, event: `late_offers ${count} ${firmName}` });
    },
    async sendAccountNotice(email, event) {
      external.notices.push({ email, event });
    },
  };
  const notifier: Notifier = {
    async notify({ svcId }, notification, channels = {}) {
      const { only, except = [] } = channels;
      const restricted = { ...(only !== undefined && { only }), ...(except.length > 0 && { except }) };
      external.notifications.push({ svcId, notification, ...restricted });
      return [];
    },
  };
  const webhookSender: WebhookSender = {
    problemOf: (url) => (url.startsWith('https://') ? null : 'The URL must start with https://.'),
    async send(message, at, timeoutMs) {
      external.webhooks.push({ ...message, at, timeoutMs });
      return external.webhookResults.get(message.url) ?? { status: 204, retryAfterMs: null, body: '' };
    },
  };
  const webhookNotices = {
    async paused(_: FirmId, endpointId: string) {
      external.pausedWebhooks.push(endpointId);
    },
  };
  const networkOf = (clientAddress: string): string => clientAddress.replace(/::.*/, '::/64');
  const signInMonitor: SignInMonitor = { count: (failure) => external.signInFailures.push(failure) };
  const rateLimiter: RateLimiter = {
    consume: async () => ({ allowed: true }),
    peek: async () => ({ requests: 0, writes: 0 }),
  };
  const deps = {
    ...stores,
    rateLimiter,
    ...support,
    sha256,
    uow,
    apiKeyAuthenticator: createApiKeyAuthenticator({ credentials, secrets, clock }),
    sessionAuthenticator,
    usedKeys: NO_USED_KEYS,
    runningKeys: new Map(),
    encryption: noEncryption,
    mailer,
    notifier,
    webhookSender,
    webhookNotices,
    metrics: NO_METRICS,
    random: () => 0,
    onFailed() {},
    onError: (error: unknown) => {
      throw error;
    },
    signInMonitor,
    networkOf,
    operator: OPERATOR,
    addresses: { baseUrl: 'https://claims.example' },
    receiptSigner: unsignedReceipts,
    zipDistance,
    sessionMaxAgeMs: 180 * DAY,
    exportPageRows: 3,
    pause: async () => {},
  };
  const claims = makeEach(claimUseCases, deps);
  const members = makeEach(memberUseCases, deps);
  const accounts = makeEach(accountUseCases, deps);
  const keys = makeEach(keyUseCases, deps);
  const { manualDeliveries, ...webhooks } = makeEach(webhookUseCases, deps);
  const operation = makeEach(operationUseCases, deps);
  const { adjusterSignIn, staffSignIn } = accounts;
  return {
    apiKeyAuthenticator: deps.apiKeyAuthenticator,
    sessionAuthenticator,
    ...claims,
    ...claims.answerOffers,
    ...members,
    ...accounts,
    ...adjusterSignIn,
    ...keys,
    ...webhooks,
    ...manualDeliveries,
    ...makeEach(importUseCases, { ...deps, ...claims }),
    ...operation,
    createKey: byTestOperator(keys.createKey),
    revokeKey: byTestOperator(keys.revokeKey),
    revokeKeysOfMaker: byTestOperator(keys.revokeKeysOfMaker),
    rollKey: byTestOperator(keys.rollKey),
    inviteStaff: byTestOperator(members.inviteStaff),
    updateStaff: byTestOperator(members.updateStaff),
    removeStaff: byTestOperator(members.removeStaff),
    openStaffSession: byTestOperator(accounts.openStaffSession),
    /** As a new process. */
    webhookDeliveries: () => createWebhookDeliveries(deps),
    desk: {
      ...operation,
      ...keys,
      ...accounts,
      ...members,
      ...staffSignIn,
      requestSignInCode: (email: string, clientSecret?: string) =>
        staffSignIn.requestSignInCode(email, DESK_ADDRESS, clientSecret),
      signIn: (proof: SignInProof, clientAddress = DESK_ADDRESS) =>
        staffSignIn.signIn(proof, { address: clientAddress, requestId: REQUEST_ID }, 'Test device'),
    },
    runJob: makeRunJob(deps),
    requestSignInCode: (email: string, clientAddress = CLIENT_ADDRESS, clientSecret?: string) =>
      adjusterSignIn.requestSignInCode(email, clientAddress, clientSecret),
    async signIn(proof: SignInProof, clientAddress = CLIENT_ADDRESS) {
      const opened = await adjusterSignIn.signIn(
        proof,
        { address: clientAddress, requestId: REQUEST_ID },
        'Test device',
      );
      if ('ticket' in opened) throw new Error('an adjuster has no firm to choose');
      return opened;
    },
  };
}

export type UseCases = ReturnType<typeof composeUseCases>;
type KeyProperties = Parameters<UseCases['createKey']>[0];

/** The use cases on the given stores, with helpers for common test setups. */
export function createFixture(stores: TestStores, clock: FixedClock) {
  const external: ExternalServices = {
    mails: [],
    notices: [],
    notifications: [],
    signInFailures: [],
    webhooks: [],
    webhookResults: new Map(),
    pausedWebhooks: [],
  };
  const auditBuffer = createWriteBuffer({
    keyOf: ({ chain }) => chain,
    store: stores.audit,
    onDropped: () => {},
  });
  const offerBuffer = createWriteBuffer({
    keyOf: ({ claimId }) => claimId,
    store: stores.offerHistory,
    onDropped: () => {},
  });
  const support = {
    clock,
    secrets: createTestSecrets(),
    ids: createCountingIds(0xbe7c),
    external,
    auditBuffer,
    offerBuffer,
    passkeyVerifier: createTestPasskeyVerifier(),
    passkeysRequired: false,
  };
  const use = composeUseCases(stores, support);
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };

  const newFirm = async (plan: Plan = 'standard'): Promise<TestFirm> => {
    const name = `Firm ${next()}`;
    const { firm, testAccounts } = await use.createFirm({ name, plan });
    const each = <V>(value: (account: (typeof testAccounts)[number]) => V) =>
      Object.fromEntries(testAccounts.map((account) => [account.behavior, value(account)])) as Record<
        TestBehavior,
        V
      >;
    return {
      id: firm.id,
      name,
      live: { firmId: firm.id, environment: 'live' },
      test: { firmId: firm.id, environment: 'test' },
      accounts: each(({ svcId }) => svcId),
      signInSecrets: each(({ signInSecret }) => signInSecret),
    };
  };

  const newAdjuster = (profile: Partial<Omit<Adjuster, 'testOf'>> = {}): Promise<Adjuster> => {
    const n = next();
    return use.createAdjuster({
      svcId: `Adj-${n}` as Svcid,
      firstName: 'Renée',
      lastName: `Adjuster ${n}`,
      email: `Adjuster.${n}@Example.net`,
      ...profile,
    });
  };

  /** Opens a session. @returns its token and the token's hash. */
  const newSession = async (svcId: Svcid): Promise<{ token: string; tokenHash: string }> => {
    const { token } = await use.openSession(svcId);
    return { token, tokenHash: support.secrets.hashOf(token, 'app_session') ?? '' };
  };

  const newStaff = (
    firm: TestFirm,
    role: StaffRole = 'admin',
    profile: Partial<Pick<StaffMember, 'name' | 'email'>> = {},
  ): Promise<StaffMember> => {
    const n = next();
    const email = `Staff.${n}@Example.net`;
    return use.inviteStaff({ firmId: firm.id, role, name: `Ève Staff ${n}`, email, ...profile });
  };

  const newKey = (
    firm: TestFirm,
    properties: Partial<KeyProperties> = {},
  ): ReturnType<typeof use.createKey> =>
    use.createKey({
      firmId: firm.id,
      environment: 'live',
      purpose: 'claims',
      lifetimeMs: null,
      ...properties,
    });

  /** Registers a device in a session of its own. @returns its push subscription. */
  const newDevice = async (svcId: Svcid, deviceId: string): Promise<PushSubscription> => {
    const n = next();
    const subscription = { endpoint: `https://push.example/${n}`, keys: { p256dh: `p${n}`, auth: `a${n}` } };
    await use.putDevice({ svcId }, (await newSession(svcId)).tokenHash, deviceId, subscription);
    return subscription;
  };

  const invite = (
    firm: TestFirm,
    svcId: Svcid,
    notes: Partial<InvitationNotes> = {},
  ): Promise<AdjusterView> => use.inviteAdjuster(firm.live, { svcId, notes: { ...NO_NOTES, ...notes } });

  /** Creates an adjuster who accepted the firm's invitation. */
  const newMember = async (firm: TestFirm): Promise<Svcid> => {
    const { svcId } = await newAdjuster();
    await invite(firm, svcId);
    await use.acceptInvitation({ svcId }, firm.id);
    return svcId;
  };

  const newClaim = (changes: Parameters<typeof testClaim>[1] = {}): ClaimToSend => testClaim(next(), changes);

  const send = (actor: FirmActor, adjuster: Svcid, options: SendOptions = {}): Promise<IdempotentResult> => {
    const { claim = newClaim(), idempotencyKey = `send-${next()}` } = options;
    const { fingerprint = sha256(`POST /v1/claims ${adjuster} ${claim.asSent}`) } = options;
    return use.sendClaim(actor, { ...claim, adjuster, idempotencyKey, fingerprint });
  };

  const sendId = async (actor: FirmActor, adjuster: Svcid, options: SendOptions = {}): Promise<ClaimId> =>
    (await send(actor, adjuster, options)).claim.id;

  /** A firm with one member. */
  const newTeam = async (): Promise<{ firm: TestFirm; svcId: Svcid }> => {
    const firm = await newFirm();
    return { firm, svcId: await newMember(firm) };
  };

  const offer = (
    actor: FirmActor,
    claimId: ClaimId,
    adjuster: Svcid,
    options: Omit<SendOptions, 'claim'> = {},
  ): Promise<IdempotentResult> => {
    const { idempotencyKey = `offer-${next()}` } = options;
    const { fingerprint = sha256(`POST /v1/claims/${claimId}/assignment ${adjuster}`) } = options;
    return use.offerClaim(actor, { claimId, adjuster, idempotencyKey, fingerprint });
  };

  return {
    stores,
    clock,
    ids: support.ids,
    secrets: support.secrets,
    auditBuffer,
    offerBuffer,
    external,
    use,
    /** The use cases with other stores. */
    useOn: (others: Partial<Stores>): UseCases => composeUseCases({ ...stores, ...others }, support),
    /** The use cases with another verifier of passkeys. */
    useWithPasskeyVerifier: (passkeyVerifier: PasskeyVerifier): UseCases =>
      composeUseCases(stores, { ...support, passkeyVerifier }),
    /** The use cases where the operator requires passkeys. */
    useWithPasskeysRequired: composeUseCases(stores, {
      ...support,
      passkeysRequired: true,
    }),
    newFirm,
    newAdjuster,
    newMember,
    newSession,
    newStaff,
    newDevice,
    newKey,
    newClaim,
    invite,
    send,
    offer,
    sendId,
    newTeam,
    /** A claim that is offered to the only member of its firm. */
    async newOffer() {
      const team = await newTeam();
      return { ...team, id: await sendId(team.firm.live, team.svcId) };
    },
    receiptOf: async (...offer: Parameters<typeof use.issueReceipt>) =>
      JSON.parse((await use.issueReceipt(...offer)).receipt),
    /** The events of an audit chain, in their order. */
    async auditOf(chain: AuditChainId): Promise<AuditEntry[]> {
      const rows = await stores.auditReads.rows(chain, { after: 0, limit: 1000 });
      return rows.flatMap(({ text }) => auditEntriesFrom(text));
    },
    verifyAudit: (chain: AuditChainId) => verifyAuditChain({ reads: stores.auditReads, sha256 }, chain),
    /** Pending jobs of one firm. */
    jobsOf: async (firm: TestFirm) =>
      (await stores.jobs.pending()).filter(({ job }) => 'firmId' in job && job.firmId === firm.id),
  };
}

export type Fixture = ReturnType<typeof createFixture>;

/** The pages of a list. Each but the last has a row, and is followed by a row. */
export async function pagesOf<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  maxBytes: number,
): Promise<T[][]> {
  const pages: T[][] = [];
  let after: KeysetPosition | null = null;
  do {
    const current: Page<T> = await read({ after, limit: 100, maxBytes });
    if (current.rows.length === 0 && (current.next !== null || after !== null))
      throw new Error('a page without rows that has a next page, or follows one');
    pages.push([...current.rows]);
    after = current.next;
  } while (after !== null);
  return pages;
}

/** Reads all pages of a list. */
export async function everyPage<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  limit: number,
  betweenPages: (rows: readonly T[]) => Promise<unknown> = async () => {},
): Promise<T[]> {
  const found: T[] = [];
  let after: KeysetPosition | null = null;
  do {
    const current: Page<T> = await read({ after, limit });
    if (current.rows.length > limit) throw new Error(`page of ${limit} has ${current.rows.length} rows`);
    if (current.next !== null && current.rows.length < limit)
      throw new Error('only the last page may have fewer rows than the limit');
    found.push(...current.rows);
    after = current.next;
    if (after !== null) await betweenPages(current.rows);
  } while (after !== null);
  return found;
}
