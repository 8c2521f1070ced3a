import {
  type AccountReads,
  type AccountRef,
  type AdjusterView,
  type ApiKey,
  type AppClaimList,
  type AppClaimView,
  type AppReads,
  accountKey,
  adjusterViewBytes,
  type ClaimView,
  type Clock,
  type FeedRestamp,
  type FirmReads,
  type FormDetails,
  invitationBytes,
  isLate,
  isWorkingKey,
  type JobReads,
  jsonBytes,
  type OperatorReads,
  type Passkey,
  type Session,
  type StaffReads,
  toPage,
} from '@svc/application';
import {
  type Claim,
  carrierNameKey,
  emailKey,
  type FirmId,
  type Instant,
  isAdjusterVisible,
  isClaimVisible,
  isReadableBy,
  type Membership,
  type StaffMember,
  type Svcid,
  statusAt,
} from '@svc/domain';
import { compareText, pageAfter } from './pages.ts';
import { boundAt, keyOf, type Tables } from './tables.ts';

export const viewOf = ({ id, environment, createdAt, updatedAt, assignment, asSent }: Claim): ClaimView => ({
  id,
  environment,
  createdAt,
  updatedAt,
  assignment,
  asSent,
});

function firmOf(tables: Tables, id: FirmId): { id: FirmId; name: string } {
  const firm = tables.firms.get(keyOf(id));
  if (firm === undefined) throw new Error(`a row belongs to the firm ${id}, which does not exist`);
  return { id, name: firm.name };
}

export const formDetailsOf = (tables: Tables, { firmId, carrier }: Claim): FormDetails => ({
  firm: firmOf(tables, firmId),
  offerWaitHours: tables.firms.get(keyOf(firmId))?.offerWaitHours ?? null,
  clocks: tables.firms.get(keyOf(firmId))?.clocks ?? null,
  bookCarrier: tables.carriers.get(keyOf(firmId, carrierNameKey(carrier.name)))?.carrier ?? null,
});

const appViewOf = (tables: Tables, claim: Claim): AppClaimView => ({
  ...viewOf(claim),
  ...formDetailsOf(tables, claim),
  work: claim.work,
  closedAt: claim.closedAt,
});

const claimBytes = ({ asSent, assignment }: ClaimView): number =>
  asSent.length + jsonBytes(assignment.rejectionReason);
const appClaimBytes = (claim: AppClaimView): number =>
  claimBytes(claim) + jsonBytes(claim.work.notes) + jsonBytes(JSON.stringify(claim.work.details));

export function memoryFirmReads(tables: Tables): FirmReads {
  const recordOf = (membership: Membership): AdjusterView => {
    const account = tables.accounts.get(keyOf(membership.svcId));
    if (account === undefined) throw new Error(`${membership.svcId} is in a firm and has no account`);
    // These are the adjuster's own.
    const { availability: _, emailConfirmed: __, credentials: ___, ...adjuster } = account.adjuster;
    return { membership, adjuster };
  };
  return {
    async claim(firmId, environment, id) {
      const claim = tables.claims.get(keyOf(id));
      return claim?.firmId === firmId && isClaimVisible(claim, environment) ? viewOf(claim) : null;
    },
    async boundClaim(slot, now) {
      const bound = boundAt(tables, slot, now);
      const claim = bound && tables.claims.get(keyOf(bound.claimId));
      return bound && claim ? { fingerprint: bound.fingerprint, claim: viewOf(claim) } : null;
    },
    async claims(firmId, environment, filter, page) {
      const { updatedSince, assignmentStatus, externalId } = filter;
      const found = tables.claims
        .all()
        .filter(
          (claim) =>
            claim.firmId === firmId &&
            isClaimVisible(claim, environment) &&
            (updatedSince === undefined || claim.updatedAt >= updatedSince) &&
            (assignmentStatus === undefined || claim.assignment.status === assignmentStatus) &&
            (externalId === undefined ||
              (claim.externalId === externalId && claim.environment === environment)),
        );
      return pageAfter(found.map(viewOf), ({ updatedAt, id }) => ({ at: updatedAt, id }), page, claimBytes);
    },
    async adjusters(firmId, environment, page) {
      const found = tables.memberships
        .all()
        .filter((membership) => membership.firmId === firmId && membership.status !== 'left')
        .map(recordOf)
        .filter(({ adjuster }) => isAdjusterVisible(adjuster, environment));
      return pageAfter(
        found,
        ({ membership: { firstKnownAt, svcId } }) => ({ at: firstKnownAt, id: svcId }),
        page,
        adjusterViewBytes,
      );
    },
    async adjuster(firmId, svcId) {
      const membership = tables.memberships.get(keyOf(firmId, svcId));
      return membership === undefined || membership.status === 'left' ? null : recordOf(membership);
    },
  };
}

const lastChangeOf = ({ updatedAt, workChangedAt, closedAt }: Claim): Instant =>
  Math.max(updatedAt, workChangedAt ?? 0, closedAt ?? 0);

/** Latest first. */
export const restampsOf = (tables: Tables): FeedRestamp[] =>
  tables.restamps.all().sort((a, b) => b.startedAt - a.startedAt);

/** Oldest first. */
export const keysOf = (tables: Tables, firmId: FirmId): ApiKey[] =>
  tables.keys
    .all()
    .filter((key) => key.firmId === firmId)
    .sort((a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id));

export const workingKeysOf = (tables: Tables, firmId: FirmId, now: Instant): ApiKey[] =>
  keysOf(tables, firmId)
    .filter((key) => isWorkingKey(key, now))
    .reverse();

export const passkeysOf = (tables: Tables, account: AccountRef): Passkey[] =>
  tables.passkeys
    .all()
    .filter((passkey) => accountKey(passkey.account) === accountKey(account))
    .sort((a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id));

/** Latest use first. */
export const sessionsOf = (tables: Tables, account: AccountRef): Session[] =>
  tables.sessions
    .all()
    .filter((session) => accountKey(session.account) === accountKey(account))
    .sort((a, b) => b.lastUsedAt - a.lastUsedAt || compareText(b.id, a.id));

const byInvitation = (a: StaffMember, b: StaffMember): number =>
  a.invitedAt - b.invitedAt || compareText(a.staffId, b.staffId);

export const staffOf = (tables: Tables, firmId: FirmId): StaffMember[] =>
  tables.staff
    .all()
    .filter((member) => member.firmId === firmId)
    .sort(byInvitation);

export const memoryStaffReads = (tables: Tables): StaffReads => ({
  async ofFirm(firmId) {
    return staffOf(tables, firmId);
  },
  async find({ firmId, staffId }) {
    return tables.staff.get(keyOf(firmId, staffId)) ?? null;
  },
  async firmsOf(email) {
    return staffByEmail(tables, email).flatMap(({ firmId }) => {
      const firm = tables.firms.get(keyOf(firmId));
      if (firm?.erasure !== null) return [];
      return [{ id: firm.id, name: firm.name, plan: firm.plan }];
    });
  },
});

/** By when they joined, then by invitation. */
export const staffByEmail = (tables: Tables, email: string): StaffMember[] =>
  tables.staff
    .all()
    .filter((member) => emailKey(member.email) === emailKey(email))
    .sort(
      (a, b) =>
        (a.joinedAt ?? Number.POSITIVE_INFINITY) - (b.joinedAt ?? Number.POSITIVE_INFINITY) ||
        byInvitation(a, b),
    );

export const memoryAccountReads = (tables: Tables): AccountReads => ({
  async passkeys(of) {
    return passkeysOf(tables, of);
  },
  async sessions(of, now) {
    return sessionsOf(tables, of).filter(({ expiresAt }) => expiresAt > now);
  },
});

export function memoryAppReads(tables: Tables, clock: Clock): AppReads {
  const claimsOf = (svcId: Svcid, list: AppClaimList): Claim[] =>
    tables.claims.all().filter((claim) => {
      if (!isReadable(claim, svcId)) return false;
      const { assignment, closedAt } = claim;
      if (list === 'closed') return assignment.status === 'accepted' && closedAt !== null;
      return assignment.status === list && closedAt === null;
    });
  const isReadable = (claim: Claim, svcId: Svcid): boolean =>
    isReadableBy(claim, svcId, tables.memberships.get(keyOf(claim.firmId, svcId)) ?? null, clock.now());
  return {
    async adjuster(svcId) {
      return tables.accounts.get(keyOf(svcId))?.adjuster ?? null;
    },
    async memberships(svcId) {
      return tables.memberships
        .all()
        .filter((membership) => membership.svcId === svcId && membership.status === 'active')
        .sort((a, b) => a.firstKnownAt - b.firstKnownAt || compareText(a.firmId, b.firmId))
        .map(({ firmId, canAcceptClaims, acceptingAssignments, sharing }) => ({
          firmId,
          firmName: firmOf(tables, firmId).name,
          canAcceptClaims,
          acceptingAssignments,
          sharing,
        }));
    },
    async invitations(svcId, now, page) {
      const found = tables.memberships.all().flatMap((membership) => {
        const { firmId, invitedAt, expiresAt, seenAt, notes } = membership;
        if (membership.svcId !== svcId || statusAt(membership, now) !== 'pending') return [];
        if (invitedAt === null || expiresAt === null) return [];
        const firmName = firmOf(tables, firmId).name;
        return [{ firmId, firmName, invitedAs: notes.invitedAs, invitedAt, expiresAt, seenAt }];
      });
      return pageAfter(
        found,
        ({ invitedAt, firmId }) => ({ at: invitedAt, id: firmId }),
        page,
        invitationBytes,
      );
    },
    async claims(svcId, list, page, since) {
      const found = claimsOf(svcId, list).filter(
        (claim) =>
          since === undefined ||
          lastChangeOf(claim) >= since ||
          (tables.firms.get(keyOf(claim.firmId))?.clocks?.changedAt ?? 0) >= since,
      );
      const views = found.map((claim) => appViewOf(tables, claim));
      return pageAfter(
        views,
        ({ assignment, id }) => ({ at: assignment.offeredAt, id }),
        page,
        appClaimBytes,
      );
    },
    async claimIds(svcId, list) {
      return claimsOf(svcId, list)
        .sort((a, b) => a.assignment.offeredAt - b.assignment.offeredAt || compareText(a.id, b.id))
        .map(({ id }) => id);
    },
    async claim(svcId, id) {
      const claim = tables.claims.get(keyOf(id));
      return claim === undefined || !isReadable(claim, svcId) ? null : appViewOf(tables, claim);
    },
    async revisions(svcIds) {
      const claims = tables.claims.all();
      const memberships = tables.memberships.all();
      return new Map(
        svcIds.map((svcId) => {
          const own = claims
            .filter(({ assignment, closedAt }) => assignment.adjuster === svcId && closedAt === null)
            .map(({ id, assignment, work }) => [id, assignment.status, assignment.offeredAt, work]);
          const firms = memberships
            .filter((membership) => membership.svcId === svcId)
            .map((m) => [
              m.firmId,
              m.status,
              m.invitedAt,
              m.acceptingAssignments,
              m.canAcceptClaims,
              m.sharing,
            ]);
          const account = tables.accounts.get(keyOf(svcId))?.adjuster;
          return [svcId, JSON.stringify([own, firms, account])];
        }),
      );
    },
  };
}

export function memoryOperatorReads(tables: Tables): OperatorReads {
  return {
    async latestRestamp() {
      return restampsOf(tables)[0] ?? null;
    },
    async firms() {
      return tables.firms.all().sort((a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id));
    },
    async firm(id) {
      return tables.firms.get(keyOf(id)) ?? null;
    },
    async testAccounts(firmId) {
      return tables.accounts
        .all()
        .map(({ adjuster }) => adjuster)
        .filter(({ testOf }) => testOf?.firmId === firmId)
        .sort((a, b) => compareText(a.svcId, b.svcId));
    },
    async keys(firmId) {
      return keysOf(tables, firmId);
    },
    async workingKeys(firmId, now) {
      return workingKeysOf(tables, firmId, now);
    },
    async keyPage(firmId, { after, limit }) {
      const isAfter = ({ createdAt, id }: ApiKey): boolean =>
        after === null || createdAt < after.at || (createdAt === after.at && compareText(id, after.id) < 0);
      const keys = tables.keys
        .all()
        .filter((key) => key.firmId === firmId && isAfter(key))
        .sort((a, b) => b.createdAt - a.createdAt || compareText(b.id, a.id));
      return toPage(keys, { after, limit }, ({ createdAt, id }) => ({ at: createdAt, id }));
    },
    async jobsOfClaim(id) {
      return tables.jobs
        .all()
        .filter(({ job }) => 'claimId' in job && job.claimId === id)
        .map(({ job, runAt }) => ({ kind: job.kind, runAt, attempts: 0, failed: false }))
        .sort((a, b) => a.runAt - b.runAt);
    },
    async claim(id) {
      const claim = tables.claims.get(keyOf(id));
      if (claim === undefined) return null;
      const { externalId, claimNumber } = claim;
      return { ...appViewOf(tables, claim), externalId, claimNumber };
    },
  };
}

export const memoryJobReads = (tables: Tables): JobReads => ({
  async firmName(firmId) {
    return tables.firms.get(keyOf(firmId))?.name ?? null;
  },
  async assignment(firmId, claimId) {
    const [firm, claim] = [tables.firms.get(keyOf(firmId)), tables.claims.get(keyOf(claimId))];
    if (firm === undefined || claim?.firmId !== firmId) return null;
    const { name: firmName, offerWaitHours } = firm;
    const { environment, closedAt } = claim;
    const { status, adjuster, offeredAt } = claim.assignment;
    return { firmName, offerWaitHours, environment, closedAt, status, adjuster, offeredAt };
  },
  async lateOffers(firmId, now) {
    const waitHours = tables.firms.get(keyOf(firmId))?.offerWaitHours ?? null;
    const isLive = (claim: Claim): boolean => claim.firmId === firmId && claim.environment === 'live';
    return tables.claims
      .all()
      .filter((claim) => isLive(claim) && isLate({ ...claim, ...claim.assignment }, waitHours, now)).length;
  },
  async devices(svcId, now) {
    const isSignedIn = (sessionHash: string): boolean =>
      (tables.sessions.get(keyOf(sessionHash))?.expiresAt ?? 0) > now;
    return tables.devices
      .all()
      .filter((device) => device.svcId === svcId && isSignedIn(device.sessionHash))
      .map(({ deviceId, subscription, state: { preferences } }) => ({ deviceId, subscription, preferences }))
      .sort((a, b) => compareText(a.deviceId, b.deviceId));
  },
  async deadlineOverrides() {
    return tables.deadlines
      .all()
      .sort((a, b) => compareText(a.event, b.event) || compareText(a.kind, b.kind));
  },
});
