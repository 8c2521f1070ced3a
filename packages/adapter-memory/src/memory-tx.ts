import {
  type AccountRef,
  accountKey,
  accountRef,
  type Clock,
  claimObject,
  emailTaken,
  type KeyedRequest,
  type OfferEnd,
  type SendFacts,
  type SendRequest,
  type Tx,
} from '@svc/application';
import {
  type Adjuster,
  type CarrierDetails,
  type Claim,
  type ClaimId,
  carrierNameKey,
  emailKey,
  type FirmId,
  type Instant,
  isFinal,
  type Membership,
  mergeCarrier,
  type Svcid,
} from '@svc/domain';
import { appendEvent } from './memory-audit.ts';
import { offerRowOf } from './memory-offer-history.ts';
import {
  formDetailsOf,
  passkeysOf,
  restampsOf,
  sessionsOf,
  staffByEmail,
  staffOf,
  workingKeysOf,
} from './memory-reads.ts';
import { memoryWebhooks } from './memory-webhooks.ts';
import { compareText } from './pages.ts';
import { boundAt, emailKeyOf, keyOf, UniqueViolation, type WritableTables } from './tables.ts';

const ASSIGNING: ReadonlySet<string> = new Set(['claim.send', 'claim.offer', 'claim.accept', 'claim.reject']);

/** The statements of `ClaimWrites` that no use case calls. */
export interface ClaimStatements {
  lockMembership(firmId: FirmId, svcId: Svcid): Promise<Membership | null>;
  facts(
    request: KeyedRequest & { readonly adjuster: Svcid } & Partial<
        Pick<SendRequest, 'externalId' | 'claimNumber'>
      >,
  ): Promise<
    Omit<SendFacts, 'membership'> & {
      /** What the Idempotency-Key was used for. */
      readonly bound: { readonly fingerprint: string; readonly claimId: ClaimId } | null;
    }
  >;
  bind(request: KeyedRequest, claimId: ClaimId): Promise<void>;
  mergeCarrier(firmId: FirmId, sent: CarrierDetails): Promise<void>;
  add(claim: Claim): Promise<Claim>;
  endOffer(claim: Claim, end: OfferEnd): Promise<void>;
}

export interface MemoryTx extends Tx {
  readonly claimWrites: ClaimStatements;
}

export interface MemoryUnitOfWork {
  run<T>(work: (tx: MemoryTx) => Promise<T>): Promise<T>;
}

const pendingOf = (tables: WritableTables, svcId: Svcid): Claim[] =>
  tables.claims
    .all()
    .filter(
      ({ assignment: { status, adjuster }, closedAt }) =>
        status === 'pending_acceptance' && closedAt === null && adjuster === svcId,
    );

/** The stores of one transaction, over tables that others see only after the commit. */
export function memoryTx(
  tables: WritableTables,
  clock: Clock,
  nextNumber: () => number,
): { tx: MemoryTx; end(): void } {
  let ended = false;
  // Every call is asynchronous, so that a missing await finds the unit of work ended, as it would with a database.
  const step =
    <A extends unknown[], T>(work: (...args: A) => T) =>
    async (...args: A): Promise<T> => {
      await null;
      if (ended) throw new Error('a store was used after its unit of work had ended');
      return work(...args);
    };

  const changeCredentials = (): void => {
    const value = (tables.counters.get(keyOf('credentials'))?.value ?? 0) + 1;
    tables.counters.put({ name: 'credentials', value });
  };

  const latest = (times: readonly Instant[]): Instant | null =>
    times.length === 0 ? null : Math.max(...times);

  const withTimestamp = (claim: Claim, earliest = clock.now()): Claim => {
    const last = tables.feeds.get(keyOf(claim.firmId))?.lastTimestamp ?? Number.NEGATIVE_INFINITY;
    const lastTimestamp = Math.max(earliest, last + 1);
    tables.feeds.put({ firmId: claim.firmId, lastTimestamp });
    return { ...claim, updatedAt: lastTimestamp };
  };
  const requireStored = (claim: Claim): void => {
    if (tables.claims.get(keyOf(claim.id)) === undefined) throw new Error(`no claim ${claim.id} to save`);
  };

  const boundBy = ({ slot, at }: KeyedRequest) => boundAt(tables, slot, at);
  const duplicateOf = ({
    slot,
    externalId,
    claimNumber,
  }: Parameters<ClaimStatements['facts']>[0]): SendFacts['duplicate'] => {
    const candidates = tables.claims
      .all()
      .filter(({ firmId, environment }) => firmId === slot.firmId && environment === slot.environment);
    const byExternalId = candidates.find((claim) => claim.externalId === externalId);
    if (byExternalId !== undefined) return { id: byExternalId.id, by: 'external_id' };
    const byNumber = candidates.find((claim) => claim.claimNumber === claimNumber && claim.closedAt === null);
    return byNumber === undefined ? null : { id: byNumber.id, by: 'claim_number' };
  };

  const saveAccount = (save: () => void): void => {
    try {
      save();
    } catch (error) {
      if (error instanceof UniqueViolation) throw emailTaken();
      throw error;
    }
  };

  const changeAdjuster = (svcId: Svcid, change: (adjuster: Adjuster) => Adjuster): void => {
    const account = tables.accounts.get(keyOf(svcId));
    if (account !== undefined) tables.accounts.put({ ...account, adjuster: change(account.adjuster) });
  };

  const lockedSubjects = new Set<string>();
  /** Without a response. */
  const endedOffers: Claim[] = [];
  const lateAnswers: Parameters<Tx['claims']['recordLateAnswer']>[0][] = [];

  const tx: MemoryTx = {
    claims: {
      lock: step((firmId, id) => {
        const claim = tables.claims.get(keyOf(id));
        return claim?.firmId === firmId ? claim : null;
      }),
      lockOfferedTo: step((svcId, id) => {
        const claim = tables.claims.get(keyOf(id));
        if (claim?.assignment.adjuster !== svcId) return null;
        const membership = tables.memberships.get(keyOf(claim.firmId, svcId));
        return membership === undefined ? null : { claim, membership, forms: formDetailsOf(tables, claim) };
      }),
      lockAny: step((id) => tables.claims.get(keyOf(id)) ?? null),
      lockPendingOf: step((firmId, svcId) =>
        pendingOf(tables, svcId)
          .filter((claim) => claim.firmId === firmId)
          .sort((a, b) => a.assignment.offeredAt - b.assignment.offeredAt || compareText(a.id, b.id)),
      ),
      save: step((claim) => {
        requireStored(claim);
        const saved = withTimestamp(claim);
        tables.claims.put(saved);
        if (claim.assignment.status === 'unassigned') endedOffers.push(claim);
        return saved;
      }),
      saveWithoutTimestamp: step((claim) => {
        requireStored(claim);
        tables.claims.put(claim);
        if (claim.closedAt !== null && claim.assignment.status === 'pending_acceptance')
          endedOffers.push(claim);
      }),
      recordLateAnswer: step((offer) => {
        lateAnswers.push(offer);
      }),
      recordReminder: step((offer, reminderStep, at) => {
        const known = offerRowOf(tables, offer);
        if (known[reminderStep] !== null) return false;
        tables.offers.put({ ...known, [reminderStep]: at });
        return true;
      }),
    },

    claimWrites: {
      lockMembership: step((firmId, svcId) => tables.memberships.get(keyOf(firmId, svcId)) ?? null),
      facts: step((request) => ({
        bound: boundBy(request),
        duplicate: request.externalId === undefined ? null : duplicateOf(request),
        adjuster: tables.accounts.get(keyOf(request.adjuster))?.adjuster ?? null,
        pendingOffers: pendingOf(tables, request.adjuster).length,
      })),
      bind: step((request, claimId) => {
        if (boundBy(request) !== null) throw new UniqueViolation('this Idempotency-Key is bound');
        const { slot, fingerprint, at } = request;
        tables.idempotency.put({ slot, fingerprint, claimId, boundAt: at });
      }),
      mergeCarrier: step((firmId, sent) => {
        const nameKey = carrierNameKey(sent.name);
        const existing = tables.carriers.get(keyOf(firmId, nameKey))?.carrier ?? null;
        const { entry, gained } = mergeCarrier(existing, sent);
        if (existing === null || gained.length > 0) tables.carriers.put({ firmId, nameKey, carrier: entry });
      }),
      add: step((claim) => {
        const { updatedAt } = withTimestamp(claim);
        const added = { ...claim, createdAt: updatedAt, updatedAt };
        tables.claims.insert(added);
        return added;
      }),
      endOffer: step(({ firmId, id: claimId, assignment }, end) => {
        const row = offerRowOf(tables, { firmId, claimId, ...assignment });
        const { seq: auditSeq = 0 } = tables.offerDecisions.get(keyOf(claimObject(claimId))) ?? {};
        tables.offers.put({ ...row, offeredBy: assignment.offeredBy, auditSeq, end });
      }),
    },

    carriers: {
      lock: step((firmId, name) => tables.carriers.get(keyOf(firmId, carrierNameKey(name)))?.carrier ?? null),
      save: step((firmId, carrier) => {
        tables.carriers.put({ firmId, nameKey: carrierNameKey(carrier.name), carrier });
      }),
      remove: step((firmId, name) => tables.carriers.delete(keyOf(firmId, carrierNameKey(name)))),
    },

    adjusters: {
      find: step((svcId) => tables.accounts.get(keyOf(svcId))?.adjuster ?? null),
      lock: step((svcId) => tables.accounts.get(keyOf(svcId))?.adjuster ?? null),
      findByEmail: step((email) => {
        const key = emailKey(email);
        return tables.accounts.all().find(({ adjuster }) => emailKeyOf(adjuster) === key)?.adjuster ?? null;
      }),
      add: step((adjuster, signInSecretHash) => {
        if (tables.accounts.get(keyOf(adjuster.svcId)) !== undefined) return false;
        saveAccount(() => tables.accounts.insert({ adjuster, signInSecretHash }));
        return true;
      }),
      saveProfile: step((adjuster) => {
        const account = tables.accounts.get(keyOf(adjuster.svcId));
        if (account === undefined) throw new Error(`no account ${adjuster.svcId} to save`);
        const { firstName, lastName, email, emailConfirmed } = adjuster;
        const { emailConfirmed: _, ...kept } = account.adjuster;
        const changed = { ...kept, firstName, lastName, email, ...(emailConfirmed && { emailConfirmed }) };
        saveAccount(() => tables.accounts.put({ ...account, adjuster: changed }));
      }),
      confirmEmail: step((svcId) =>
        changeAdjuster(svcId, (adjuster) => ({ ...adjuster, emailConfirmed: true })),
      ),
      saveAvailability: step((svcId, availability) =>
        changeAdjuster(svcId, (adjuster) => ({ ...adjuster, availability })),
      ),
      saveCredentials: step((svcId, credentials) =>
        changeAdjuster(svcId, (adjuster) => ({ ...adjuster, credentials })),
      ),
      setDisabled: step((svcId, at) =>
        changeAdjuster(svcId, ({ disabledAt: _, ...adjuster }) =>
          at === null ? adjuster : { ...adjuster, disabledAt: at },
        ),
      ),
      signInSecretHash: step((svcId) => tables.accounts.get(keyOf(svcId))?.signInSecretHash ?? null),
    },

    memberships: {
      lock: step((firmId, svcId) => tables.memberships.get(keyOf(firmId, svcId)) ?? null),
      activeFirmsOf: step((svcId) =>
        tables.memberships
          .all()
          .filter((membership) => membership.svcId === svcId && membership.status === 'active')
          .map(({ firmId }) => firmId)
          .sort(),
      ),
      save: step((membership) => tables.memberships.put(membership)),
    },

    firms: {
      add: step((firm) => {
        tables.firms.insert(firm);
        tables.feeds.put({ firmId: firm.id, lastTimestamp: 0 });
      }),
      lock: step((id) => tables.firms.get(keyOf(id)) ?? null),
      legalHoldSince: step((id) => tables.legalHolds.get(keyOf(id))?.since ?? null),
      setLegalHold: step((firmId, since) => {
        if (since === null) tables.legalHolds.delete(keyOf(firmId));
        else tables.legalHolds.put({ firmId, since });
      }),
      find: step((id) => tables.firms.get(keyOf(id)) ?? null),
      save: step((firm) => {
        tables.firms.put(firm);
        changeCredentials();
      }),
      endAccess: step((id) => {
        tables.keys.deleteWhere(({ firmId }) => firmId === id);
        tables.memberships.deleteWhere(({ firmId }) => firmId === id);
        tables.staff.deleteWhere(({ firmId }) => firmId === id);
        const isOfStaff = ({ account }: { account: AccountRef }) =>
          'firmId' in account && account.firmId === id;
        tables.sessions.deleteWhere(isOfStaff);
        tables.passkeys.deleteWhere(isOfStaff);
      }),
      count: step(() => tables.firms.all().length),
    },

    keys: {
      add: step((key) => {
        tables.keys.insert(key);
        changeCredentials();
      }),
      lock: step((id) => tables.keys.get(keyOf(id)) ?? null),
      working: step((firmId, now) => workingKeysOf(tables, firmId, now)),
      save: step((key) => {
        tables.keys.put(key);
        changeCredentials();
      }),
    },

    staff: {
      ofFirm: step((firmId) => staffOf(tables, firmId)),
      find: step(({ firmId, staffId }) => tables.staff.get(keyOf(firmId, staffId)) ?? null),
      lock: step(({ firmId, staffId }) => tables.staff.get(keyOf(firmId, staffId)) ?? null),
      findByEmail: step((email) => staffByEmail(tables, email)),
      add: step((member) => {
        const isTaken = staffOf(tables, member.firmId).some(
          ({ email }) => emailKey(email) === emailKey(member.email),
        );
        if (!isTaken) tables.staff.insert(member);
        return !isTaken;
      }),
      save: step((member) => {
        const { firmId, staffId, name, role, joinedAt, lateOffersMailAt } = member;
        const current = tables.staff.get(keyOf(firmId, staffId));
        if (current !== undefined) tables.staff.put({ ...current, name, role, joinedAt, lateOffersMailAt });
      }),
      remove: step(({ firmId, staffId }) => tables.staff.delete(keyOf(firmId, staffId))),
    },

    sessions: {
      add: step((session) => tables.sessions.insert(session)),
      setMethod: step((tokenHash, method) => {
        const session = tables.sessions.get(keyOf(tokenHash));
        if (session !== undefined) tables.sessions.put({ ...session, method });
      }),
      move: step((tokenHash, account) => {
        const session = tables.sessions.get(keyOf(tokenHash));
        if (session === undefined || 'svcId' in session.account) return false;
        tables.sessions.put({ ...session, account: accountRef(account) });
        return true;
      }),
      remove: step(({ tokenHash }) => {
        tables.devices.deleteWhere(({ sessionHash }) => sessionHash === tokenHash);
        tables.sessions.delete(keyOf(tokenHash));
      }),
      of: step((account) => sessionsOf(tables, account)),
      removeAllOf: step((account) => {
        if ('svcId' in account) tables.devices.deleteWhere((device) => device.svcId === account.svcId);
        return tables.sessions.deleteWhere((session) => accountKey(session.account) === accountKey(account));
      }),
    },

    signInCodes: {
      put: step((code) => tables.signInCodes.put(code)),
      lock: step((slot) => tables.signInCodes.get(keyOf(slot)) ?? null),
      remove: step((slot) => tables.signInCodes.delete(keyOf(slot))),
    },

    signInTickets: {
      add: step((ticket) => tables.signInTickets.insert(ticket)),
      take: step((slot) => {
        const ticket = tables.signInTickets.get(keyOf(slot)) ?? null;
        tables.signInTickets.delete(keyOf(slot));
        return ticket;
      }),
    },

    signInAttempts: {
      find: step((subjects) => subjects.map((subject) => tables.signInAttempts.get(keyOf(subject)) ?? null)),
      lock: step((subjects) => {
        for (const subject of subjects) lockedSubjects.add(subject);
        return subjects.map((subject) => tables.signInAttempts.get(keyOf(subject)) ?? null);
      }),
      put: step((counted) => {
        for (const attempts of counted) {
          if (!lockedSubjects.has(attempts.subject)) throw new Error('the counter of attempts is not locked');
          tables.signInAttempts.put(attempts);
        }
      }),
    },

    emailChanges: {
      put: step((change) => tables.emailChanges.put(change)),
      lock: step((svcId) => tables.emailChanges.get(keyOf(svcId)) ?? null),
      remove: step((svcId) => tables.emailChanges.delete(keyOf(svcId))),
    },

    passkeys: {
      add: step((passkey) => {
        const isTaken = tables.passkeys
          .all()
          .some(({ credentialId }) => credentialId === passkey.credentialId);
        if (!isTaken) tables.passkeys.insert(passkey);
        return !isTaken;
      }),
      of: step((account) => passkeysOf(tables, account)),
      lockOf: step((account) => passkeysOf(tables, account)),
      lockByCredential: step(
        (credentialId) =>
          tables.passkeys.all().find((passkey) => passkey.credentialId === credentialId) ?? null,
      ),
      save: step(({ id, name, signCount, lastUsedAt }) => {
        const passkey = tables.passkeys.get(keyOf(id));
        if (passkey !== undefined) tables.passkeys.put({ ...passkey, name, signCount, lastUsedAt });
      }),
      remove: step((account, id) => {
        if (passkeysOf(tables, account).some((passkey) => passkey.id === id))
          tables.passkeys.delete(keyOf(id));
      }),
      removeAllOf: step((account) =>
        tables.passkeys.deleteWhere((passkey) => accountKey(passkey.account) === accountKey(account)),
      ),
    },

    usedChallenges: {
      use: step((challenge, expiresAt) => {
        if (tables.usedChallenges.get(keyOf(challenge)) !== undefined) return false;
        tables.usedChallenges.put({ challenge, expiresAt });
        return true;
      }),
    },

    devices: {
      put: step((device) => {
        const { svcId, deviceId, subscription } = device;
        const state = tables.devices.get(keyOf(svcId, deviceId))?.state;
        tables.devices.deleteWhere((other) => other.subscription.endpoint === subscription.endpoint);
        tables.devices.put({ ...device, state: state ?? { preferences: null, reminderAt: null } });
      }),
      lock: step((svcId, deviceId) => tables.devices.get(keyOf(svcId, deviceId))?.state ?? null),
      saveState: step((svcId, deviceId, state) => {
        const device = tables.devices.get(keyOf(svcId, deviceId));
        if (device !== undefined) tables.devices.put({ ...device, state });
      }),
      keepLatest: step((svcId, count) => {
        const own = tables.devices
          .all()
          .filter((device) => device.svcId === svcId)
          .sort((a, b) => b.registeredAt - a.registeredAt || compareText(a.deviceId, b.deviceId));
        for (const { deviceId } of own.slice(count)) tables.devices.delete(keyOf(svcId, deviceId));
      }),
      remove: step((svcId, deviceId) => tables.devices.delete(keyOf(svcId, deviceId))),
    },

    deadlines: {
      lock: step((event, kind) => tables.deadlines.get(keyOf(event, kind)) ?? null),
      put: step((override) => tables.deadlines.put(override)),
      remove: step((event, kind) => tables.deadlines.delete(keyOf(event, kind))),
    },

    feeds: {
      lastTimestamp: step(() => latest(tables.feeds.all().map(({ lastTimestamp }) => lastTimestamp))),
      lockRestamps: step(() => restampsOf(tables)),
      saveRestamp: step((restamp) => tables.restamps.put(restamp)),
      restamp: step((firmId, { since, startedAt }, limit) => {
        const behind = tables.claims
          .all()
          .filter(
            (claim) =>
              claim.firmId === firmId &&
              claim.updatedAt <= startedAt &&
              (claim.updatedAt >= since || !isFinal(claim)),
          )
          .sort((a, b) => a.updatedAt - b.updatedAt)
          .slice(0, limit);
        for (const claim of behind) tables.claims.put(withTimestamp(claim, startedAt + 1));
        return behind.length;
      }),
    },

    webhooks: memoryWebhooks(tables, step),

    imports: {
      add: step((started) => tables.imports.insert(started)),
      lock: step((firmId, id) => tables.imports.get(keyOf(firmId, id)) ?? null),
      save: step((changed) => tables.imports.put(changed)),
      latestNamed: step((firmId, name) => {
        const named = tables.imports.all().filter((one) => one.firmId === firmId && one.name === name);
        return named.sort((one, other) => other.updatedAt - one.updatedAt)[0] ?? null;
      }),
      sent: step((firmId, environment, after, count) =>
        tables.imports
          .all()
          .filter(
            (one) =>
              one.firmId === firmId &&
              one.environment === environment &&
              one.nextUncounted > 0 &&
              (after === null || one.id < after),
          )
          .sort((one, other) => (one.id < other.id ? 1 : -1))
          .slice(0, count),
      ),
    },

    outbox: {
      add: step((job, runAt) =>
        tables.jobs.insert({ number: nextNumber(), job, runAt: runAt ?? clock.now() }),
      ),
    },

    audit: {
      record: step((event) => {
        const seq = appendEvent(tables, event);
        const { action, object } = event.entry;
        const late = lateAnswers.find(({ claimId }) => claimObject(claimId) === object);
        if (late !== undefined) {
          const isLatest = tables.claims.get(keyOf(late.claimId))?.assignment.offeredAt === late.offeredAt;
          if (isLatest && object !== null) tables.offerDecisions.put({ claim: object, seq });
          const offer = tables.offers.get(keyOf(late.firmId, late.claimId, late.offeredAt));
          if (offer !== undefined) tables.offers.put({ ...offer, auditSeq: seq });
          return;
        }
        const ends = endedOffers
          .filter(({ firmId }) => firmId === event.chain)
          .map(({ id }) => claimObject(id));
        if (object !== null && ASSIGNING.has(action)) ends.push(object);
        for (const claim of ends) tables.offerDecisions.put({ claim, seq });
      }),
    },
  };
  return {
    tx,
    end: () => {
      ended = true;
    },
  };
}
