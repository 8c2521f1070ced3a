import {
  type ApiKey,
  type AuditChain,
  type AuditChainId,
  type AuditRow,
  type ClaimImport,
  type CountedAttempts,
  type Device,
  type DeviceState,
  type EmailChange,
  type FeedRestamp,
  type Firm,
  IDEMPOTENCY_WINDOW_MS,
  type IdempotencySlot,
  type Job,
  type Passkey,
  type Session,
  type SignInCode,
  type SignInTicket,
  type StoredOffer,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@svc/application';
import {
  type Adjuster,
  type CarrierDetails,
  type Claim,
  type DeadlineOverride,
  emailKey,
  type FirmId,
  type Instant,
  type Membership,
  type StaffMember,
} from '@svc/domain';

export interface OfferRow extends StoredOffer {
  readonly firmId: FirmId;
  /** Of an earlier offer: the audit row of its response, or of what ended it, or of a response that came later. */
  readonly auditSeq: number;
  readonly reminderQueuedAt: Instant | null;
}

export interface Schema {
  readonly claims: Claim;
  readonly idempotency: {
    readonly slot: IdempotencySlot;
    readonly fingerprint: string;
    readonly claimId: Claim['id'];
    readonly boundAt: Instant;
  };
  readonly carriers: { readonly firmId: FirmId; readonly nameKey: string; readonly carrier: CarrierDetails };
  readonly accounts: { readonly adjuster: Adjuster; readonly signInSecretHash: string | null };
  readonly memberships: Membership;
  readonly firms: Firm;
  readonly keys: ApiKey;
  readonly staff: StaffMember;
  readonly sessions: Session;
  readonly signInCodes: SignInCode;
  readonly signInTickets: SignInTicket;
  readonly signInAttempts: CountedAttempts;
  readonly emailChanges: EmailChange;
  readonly passkeys: Passkey;
  readonly usedChallenges: { readonly challenge: string; readonly expiresAt: Instant };
  readonly devices: Device & { readonly state: DeviceState };
  readonly deadlines: DeadlineOverride;
  readonly webhooks: {
    readonly endpoint: WebhookEndpoint;
    readonly signalledUntil: Instant;
    readonly nextSignalAt: Instant;
  };
  readonly webhookDeliveries: WebhookDelivery;
  readonly jobs: { readonly number: number; readonly job: Job; readonly runAt: Instant };
  readonly offers: OfferRow;
  readonly imports: ClaimImport;
  /** The last timestamp of a firm's change feed. */
  readonly feeds: { readonly firmId: FirmId; readonly lastTimestamp: Instant };
  readonly restamps: FeedRestamp;
  /** Counters of the whole store. */
  readonly counters: { readonly name: 'credentials'; readonly value: number };
  readonly legalHolds: { readonly firmId: FirmId; readonly since: Instant };
  readonly auditLog: AuditRow & { readonly chain: AuditChainId };
  /** The audit row of the claim's latest offer, or of what ended it. */
  readonly offerDecisions: { readonly claim: string; readonly seq: number };
  readonly auditChains: AuditChain & { readonly chain: AuditChainId };
}

/** A map key of several parts; unlike a join, JSON is unambiguous. */
export const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);

/** Unique keys of a table; the first is the primary key. Null: the row is exempt. */
type UniqueKeys<R> = readonly [(row: R) => string, ...((row: R) => string | null)[]];

const UNIQUE: { readonly [T in keyof Schema]: UniqueKeys<Schema[T]> } = {
  claims: [
    ({ id }) => keyOf(id),
    ({ firmId, environment, externalId }) => keyOf(firmId, environment, externalId),
  ],
  idempotency: [({ slot }) => keyOf(slot.firmId, slot.environment, slot.key)],
  carriers: [({ firmId, nameKey }) => keyOf(firmId, nameKey)],
  accounts: [({ adjuster }) => keyOf(adjuster.svcId), ({ adjuster }) => emailKeyOf(adjuster)],
  memberships: [({ firmId, svcId }) => keyOf(firmId, svcId)],
  firms: [({ id }) => keyOf(id)],
  keys: [({ id }) => keyOf(id), ({ secretHash }) => secretHash],
  staff: [
    ({ firmId, staffId }) => keyOf(firmId, staffId),
    ({ firmId, email }) => keyOf(firmId, emailKey(email)),
  ],
  sessions: [({ tokenHash }) => keyOf(tokenHash)],
  signInCodes: [({ slot }) => keyOf(slot)],
  signInTickets: [({ slot }) => keyOf(slot)],
  emailChanges: [({ svcId }) => keyOf(svcId)],
  signInAttempts: [({ subject }) => keyOf(subject)],
  passkeys: [({ id }) => keyOf(id), ({ credentialId }) => credentialId],
  usedChallenges: [({ challenge }) => keyOf(challenge)],
  devices: [({ svcId, deviceId }) => keyOf(svcId, deviceId)],
  deadlines: [({ event, kind }) => keyOf(event, kind)],
  webhooks: [({ endpoint }) => keyOf(endpoint.firmId, endpoint.id)],
  webhookDeliveries: [({ firmId, id }) => keyOf(firmId, id)],
  jobs: [({ number }) => keyOf(number)],
  imports: [({ firmId, id }) => keyOf(firmId, id)],
  offers: [({ firmId, claimId, offeredAt }) => keyOf(firmId, claimId, offeredAt)],
  feeds: [({ firmId }) => keyOf(firmId)],
  restamps: [({ since }) => keyOf(since)],
  counters: [({ name }) => keyOf(name)],
  legalHolds: [({ firmId }) => keyOf(firmId)],
  offerDecisions: [({ claim }) => keyOf(claim)],
  auditLog: [({ chain, seq }) => keyOf(chain, seq)],
  auditChains: [({ chain }) => keyOf(chain)],
};

/** What an idempotency key was used for less than 24 hours ago. */
export const boundAt = (tables: Tables, { firmId, environment, key }: IdempotencySlot, now: Instant) => {
  const row = tables.idempotency.get(keyOf(firmId, environment, key));
  return row !== undefined && now - row.boundAt < IDEMPOTENCY_WINDOW_MS ? row : null;
};

/** Unique per account, since it is used to sign in; test accounts do not sign in by e-mail, so theirs may repeat. */
export const emailKeyOf = ({ email, testOf }: Adjuster): string | null =>
  email === null || testOf !== null ? null : emailKey(email);

/** A unique key is taken. The unit of work is run again, as after a conflict in a database. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
}

export interface Table<R> {
  get(key: string): R | undefined;
  all(): R[];
}
interface WritableTable<R> extends Table<R> {
  /** Adds or replaces the row with this row's key. */
  put(row: R): void;
  /** Adds a row; throws UniqueViolation when its key exists. */
  insert(row: R): void;
  delete(key: string): void;
  /** @returns how many rows it has deleted. */
  deleteWhere(isDeleted: (row: R) => boolean): number;
}
export type Tables = { readonly [T in keyof Schema]: Table<Schema[T]> };
export type WritableTables = { readonly [T in keyof Schema]: WritableTable<Schema[T]> };

export type Write = <T>(work: (tables: WritableTables) => Promise<T>) => Promise<T>;

export interface Draft {
  readonly tables: WritableTables;
  commit(): void;
}
export interface Database {
  /** The committed rows. */
  readonly committed: Tables;
  /** Changes that are invisible to others until the commit; discarding the draft rolls back. */
  draft(): Draft;
  /** A sequence: numbers of a unit of work that is rolled back are not used again. */
  nextNumber(): number;
}

/** The rows by primary key, and for each other unique key the primary key of the row that holds a value. */
interface Stored<R> {
  readonly rows: Map<string, R>;
  readonly holders: readonly Map<string, string>[];
}

type StoredTables = { readonly [T in keyof Schema]: Stored<Schema[T]> };

export function createDatabase(): Database {
  const stored = mapTables<StoredTables>((name) => ({
    rows: new Map(),
    holders: UNIQUE[name].slice(1).map(() => new Map()),
  }));
  let number = 0;
  return {
    nextNumber() {
      number += 1;
      return number;
    },
    committed: mapTables<Tables>((name) => committedTable(stored[name].rows as Map<string, never>)),
    draft() {
      const commits: (() => void)[] = [];
      const tables = mapTables<WritableTables>((name) => {
        const { table, commit } = draftTable(
          stored[name] as Stored<object>,
          UNIQUE[name] as unknown as UniqueKeys<object>,
        );
        commits.push(commit);
        return table;
      });
      return {
        tables,
        commit: () => {
          for (const commit of commits) commit();
        },
      };
    },
  };
}

const mapTables = <Result>(make: (name: keyof Schema) => unknown): Result =>
  Object.fromEntries(Object.keys(UNIQUE).map((name) => [name, make(name as keyof Schema)])) as Result;

const committedTable = <R>(rows: Map<string, R>): Table<R> => ({
  get: (key) => rows.get(key),
  all: () => [...rows.values()],
});

function draftTable<R extends object>({ rows, holders }: Stored<R>, [keyOfRow, ...otherKeys]: UniqueKeys<R>) {
  /** Rows changed by this unit of work; null: deleted. */
  const changed = new Map<string, R | null>();
  const get = (key: string): R | undefined =>
    changed.has(key) ? (changed.get(key) ?? undefined) : rows.get(key);
  const all = (): R[] => {
    const kept = [...rows].filter(([key]) => !changed.has(key)).map(([, row]) => row);
    return [...kept, ...[...changed.values()].filter((row) => row !== null)];
  };
  const put = (row: R): void => {
    const key = keyOfRow(row);
    otherKeys.forEach((other, index) => {
      const value = other(row);
      if (value === null) return;
      const holder = holders[index]?.get(value);
      const taken =
        (holder !== undefined && holder !== key && !changed.has(holder)) ||
        [...changed].some(
          ([changedKey, existing]) => changedKey !== key && existing !== null && other(existing) === value,
        );
      if (taken) throw new UniqueViolation(`${value} is taken`);
    });
    changed.set(key, frozenCopy(row));
  };
  const table: WritableTable<R> = {
    get,
    all,
    put,
    insert(row) {
      const key = keyOfRow(row);
      if (get(key) !== undefined) throw new UniqueViolation(`${key} is taken`);
      put(row);
    },
    delete: (key) => void changed.set(key, null),
    deleteWhere(isDeleted) {
      const keys = all().filter(isDeleted).map(keyOfRow);
      for (const key of keys) changed.set(key, null);
      return keys.length;
    },
  };
  const commit = (): void => {
    otherKeys.forEach((other, index) => {
      const keyIn = (row: R | null | undefined): string | null => (row == null ? null : other(row));
      for (const key of changed.keys()) {
        const before = keyIn(rows.get(key));
        if (before !== null) holders[index]?.delete(before);
      }
      for (const [key, row] of changed) {
        const value = keyIn(row);
        if (value !== null) holders[index]?.set(value, key);
      }
    });
    for (const [key, row] of changed) {
      if (row === null) rows.delete(key);
      else rows.set(key, row);
    }
  };
  return { table, commit };
}

/** Stored rows are frozen copies, so that no caller can change them. */
function frozenCopy<V>(value: V): V {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as V;
  const copy: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) copy[name] = frozenCopy(part);
  return Object.freeze(copy) as V;
}
