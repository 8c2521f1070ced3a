import { expect, test } from '@jest/globals';
import { createMemoryStores } from '@svc/adapter-memory';
import { connect } from '@svc/adapter-postgres';
import type { Job } from '@svc/application';
import {
  type ClaimId,
  DAY,
  HOUR,
  type KeyId,
  MINUTE,
  NO_NOTES,
  type StaffMember,
  type Svcid,
} from '@svc/domain';
import {
  createFixedClock,
  createFixture,
  type Fixture,
  OPERATOR,
  sha256,
  type TestFirm,
  type TestStores,
} from '@svc/testkit';
import fc from 'fast-check';
import { onCitus } from '../../../tools/services/citus.ts';
import { createDatabase, withClient } from '../../../tools/services/postgres.ts';

/** For other walks, for example: WALK_RUNS=500 WALK_SEED=7. A failure prints its seed. */
const RUNS = Number(process.env.WALK_RUNS ?? (onCitus() ? 2 : 6));
const SEED = Number(process.env.WALK_SEED ?? 20_261_128);

const PAGE = { after: null, limit: 100 };

/** What exists; the same on both stores, since their ids and secrets are counted. */
interface World {
  readonly fixture: Fixture;
  readonly firms: TestFirm[];
  readonly people: Svcid[];
  readonly claims: ClaimId[];
  readonly staff: StaffMember[];
  readonly keys: { id: KeyId; secret: string }[];
  readonly webhooks: string[];
  /** Of adjusters and staff. */
  readonly tokens: string[];
  /** Runs the jobs that are due. */
  runJobs(): Promise<number>;
}

/** The numbers choose among what exists. */
type Action = (world: World, a: number, b: number, c: number) => Promise<unknown>;

const at = <T>(all: readonly T[], n: number): T => {
  const one = all[n % all.length];
  if (one === undefined) throw new Error('There is none yet.');
  return one;
};
/** A claim with its firm and adjuster, and now and then with others. */
async function claimAt({ fixture, firms, people, claims }: World, n: number, other: number) {
  const id = at(claims, n);
  const found = await fixture.stores.operatorReads.claim(id);
  const isOther = other % 5 === 0;
  return {
    id,
    firm: firms.find((firm) => firm.id === found?.firm.id && !isOther) ?? at(firms, other),
    svcId: isOther ? at(people, other) : (found?.assignment.adjuster ?? at(people, other)),
  };
}
const EMAILS = ['Same.Person@Example.net', 'other@example.net'];
const BOOLEANS = [true, false] as const;

const ACTIONS: Readonly<Record<string, Action>> = {
  async send({ fixture, firms, people, claims }, a, b, c) {
    const firm = at(firms, a);
    const adjuster = c % 4 === 0 ? at(Object.values(firm.accounts), b) : at(people, b);
    const actor = adjuster.startsWith('test_') ? firm.test : firm.live;
    const carrier = at([{ name: 'Gulf Mutual' }, { name: 'gulf  MUTUAL', phone: '985-555-0142' }], c);
    const claim = fixture.newClaim({ carrier, ...(c % 5 === 0 && { externalId: `E-${b}` }) });
    const sent = await fixture.send(actor, adjuster, { claim, idempotencyKey: `key ${a} ${b} ${c}` });
    if (!claims.includes(sent.claim.id)) claims.push(sent.claim.id);
    return sent;
  },
  async offer(world, a, b, c) {
    const { id, firm } = await claimAt(world, a, c);
    return world.fixture.offer(firm.live, id, at(world.people, b), {
      idempotencyKey: `offer ${a} ${b} ${c}`,
    });
  },
  async accept(world, a, _, c) {
    const { id, svcId } = await claimAt(world, a, c);
    return world.fixture.use.acceptClaim({ svcId }, id);
  },
  async reject(world, a, _, c) {
    const { id, svcId } = await claimAt(world, a, c);
    return world.fixture.use.rejectClaim({ svcId }, id, 'Too far.');
  },
  async work(world, a, b, c) {
    const { id, svcId } = await claimAt(world, a, c);
    return world.fixture.use.recordWork({ svcId }, id, { notes: `n${b}` });
  },
  async log(world, a, b, c) {
    const { id, svcId } = await claimAt(world, a, c);
    const contact = { id: `c-${b}`, at: world.fixture.clock.now(), result: 'reached' } as const;
    return world.fixture.use.logContact({ svcId }, id, contact);
  },
  async close(world, a, _, c) {
    const { id, svcId } = await claimAt(world, a, c);
    return world.fixture.use.closeAcceptedClaim({ svcId }, id);
  },
  async takeBack(world, a, b, c) {
    const { id } = await claimAt(world, a, c);
    return world.fixture.use.withdrawOffer(at(world.staff, b), { claimId: id });
  },
  async closeAtDesk(world, a, b, c) {
    const { id } = await claimAt(world, a, c);
    const reason = c % 2 === 0 ? 'Sent twice.' : null;
    return world.fixture.use.closeClaimAtDesk(at(world.staff, b), { claimId: id, reason });
  },
  closeAsOperator: ({ fixture: { use }, claims }, a) => use.closeClaimAsOperator(at(claims, a)),
  invite: ({ fixture, firms, people }, a, b) => fixture.invite(at(firms, a), at(people, b), NO_NOTES),
  withdraw: ({ fixture: { use }, firms, people }, a, b) =>
    use.withdrawInvitation(at(firms, a).live, at(people, b)),
  join: ({ fixture: { use }, firms, people }, a, b) =>
    use.acceptInvitation({ svcId: at(people, b) }, at(firms, a).id),
  decline: ({ fixture: { use }, firms, people }, a, b) =>
    use.declineInvitation({ svcId: at(people, b) }, at(firms, a).id),
  leave: ({ fixture: { use }, firms, people }, a, b) =>
    use.leaveFirm({ svcId: at(people, b) }, at(firms, a).id),
  pause: ({ fixture: { use }, firms, people }, a, b, c) =>
    use.setAcceptingAssignments({ svcId: at(people, b) }, at(firms, a).id, at(BOOLEANS, c)),
  allow: ({ fixture: { use }, firms, people }, a, b, c) =>
    use.setMember(at(firms, a).id, at(people, b), at(BOOLEANS, c)),
  removeMember: ({ fixture: { use }, firms, people }, a, b) =>
    use.removeMember(at(firms, a).id, at(people, b)),
  limit: ({ fixture: { use }, people }, a, b) =>
    use.setAvailability({ svcId: at(people, a) }, { maxOpenOffers: 1 + (b % 3) }),
  profile: ({ fixture: { use }, people }, a, b) =>
    use.updateProfile({ svcId: at(people, a) }, { firstName: `Zoë ${b}` }),
  async signIn({ fixture, people, tokens }, a) {
    const { token, tokenHash } = await fixture.newSession(at(people, a));
    tokens.push(tokenHash);
    return token;
  },
  device: async ({ fixture, people }, a, b) => fixture.newDevice(at(people, a), `device ${b % 3}`),
  endSessions: ({ fixture: { use }, people }, a) => use.endSessions(at(people, a)),
  disable: ({ fixture: { use }, people }, a) => use.disableAdjuster(at(people, a)),
  enable: ({ fixture: { use }, people }, a) => use.enableAdjuster(at(people, a)),
  async inviteStaff({ fixture, firms, staff }, a, b) {
    const member = await fixture.newStaff(at(firms, a), b % 3 === 0 ? 'auditor' : 'admin', {
      email: at(EMAILS, b),
    });
    staff.push(member);
    return member;
  },
  /** Of a transaction that began before the firm was erased. */
  addStaffLate: ({ fixture: { ids, clock, stores }, firms, staff }, a, b) => {
    const [firmId, invitedAt] = [at(firms, a).id, clock.now()];
    const member: StaffMember = {
      ...{
        firmId,
        staffId: ids.next() as StaffMember['staffId'],
        role: 'admin',
        name: 'Late',
        email: at(EMAILS, b),
      },
      ...{ invitedAt, joinedAt: null, lateOffersMailAt: null },
    };
    staff.push(member);
    return stores.unitOfWork.run((tx) => tx.staff.add(member));
  },
  async newFirm({ fixture, firms }) {
    const firm = await fixture.newFirm();
    if (firms.length < 4) firms.push(firm);
    return firm;
  },
  async openStaffSession({ fixture: { use, secrets }, staff, tokens }, a) {
    const { token } = await use.openStaffSession(at(staff, a));
    tokens.push(secrets.hashOf(token, 'staff_session') ?? '');
    return token;
  },
  role: ({ fixture: { use }, staff }, a, b) =>
    use.updateStaff(at(staff, a), { role: at(['auditor', 'admin'], b) as StaffMember['role'] }),
  removeStaff: ({ fixture: { use }, staff }, a) => use.removeStaff(at(staff, a)),
  async createKey({ fixture: { use }, firms, keys }, a, b) {
    const environment = at(['live', 'test'] as const, b);
    const created = await use.createKey({
      firmId: at(firms, a).id,
      environment,
      purpose: 'claims',
      lifetimeMs: null,
    });
    keys.push({ id: created.key.id, secret: created.secret });
    return created;
  },
  rollKey: ({ fixture: { use }, keys }, a) => use.rollKey(at(keys, a).id, HOUR),
  revokeKey: ({ fixture: { use }, keys }, a) => use.revokeKey(at(keys, a).id),
  plan: ({ fixture: { use }, firms }, a, b) =>
    use.setPlan(at(firms, a).id, at(['standard', 'claims_only', 'read_only'] as const, b)),
  offerWait: ({ fixture: { use }, firms }, a, b) => use.setOfferWait(at(firms, a).id, 1 + (b % 4)),
  hold: ({ fixture: { use }, firms }, a, b) => use.setLegalHold(at(firms, a).id, at(BOOLEANS, b)),
  erase: ({ fixture: { use }, firms }, a, b) => {
    const { id, name } = at(firms.slice(1), a);
    return b < 2 ? use.eraseFirm(id, name, () => {}).then(() => null) : Promise.resolve();
  },
  carrier: ({ fixture: { use }, firms }, a, b) =>
    use.setCarrier(at(firms, a).id, 'Gulf Mutual', { phone: `504-555-01${b % 10}0` }),
  removeCarrier: ({ fixture: { use }, firms }, a) => use.removeCarrier(at(firms, a).id, 'gulf mutual'),
  deadline: ({ fixture: { use } }, a, b) =>
    use.setDeadline({ event: `FL${a % 2}`, kind: 'first_contact', hours: 1 + (b % 3), source: 'test' }),
  async webhook({ fixture: { use }, firms, webhooks }, a, b) {
    const environment = at(['live', 'test'] as const, b);
    const url = `https://hooks.example/${b}`;
    const { webhook } = await use.createWebhook(OPERATOR, { firmId: at(firms, a).id, environment, url });
    webhooks.push(webhook.id);
    return webhook;
  },
  removeWebhook: ({ fixture: { use }, firms, webhooks }, a, b) =>
    use.removeWebhook(OPERATOR, at(firms, a).id, at(webhooks, b)),
  restamp: ({ fixture: { use, clock } }, a) => use.restampFeeds(clock.now() - (a % 3) * HOUR, () => {}),
  useCredentials: ({ fixture: { stores, clock }, keys, tokens }) =>
    stores.credentials.recordUse({
      keys: new Map(keys.map(({ id }) => [id, clock.now()])),
      sessions: new Map(tokens.map((token) => [token, clock.now()])),
    }),
  runJobs: (world) => world.runJobs(),
  async wait({ fixture: { clock } }) {
    return clock.now();
  },
};

/** Everything that the ports read, where memory has it. */
async function everything({ fixture, firms, people, claims, staff, keys, tokens }: World) {
  const { clock, stores } = fixture;
  const { firmReads, appReads, operatorReads, jobReads, staffReads, credentials, offerHistory } = stores;
  const now = clock.now();
  const each = <T, R>(all: readonly T[], read: (one: T) => Promise<R>): Promise<R[]> =>
    Promise.all(all.map(read));
  const waiting = { by: 'waiting', environment: 'live', status: 'pending_acceptance' } as const;
  return {
    firms: await each(firms, async ({ id, accounts }) => ({
      firm: await operatorReads.firm(id),
      name: await jobReads.firmName(id),
      live: await firmReads.claims(id, 'live', {}, PAGE),
      test: await firmReads.claims(id, 'test', {}, PAGE),
      accepted: await firmReads.claims(id, 'live', { assignmentStatus: 'accepted' }, PAGE),
      adjusters: await firmReads.adjusters(id, 'live', PAGE),
      accounts: await each(Object.values(accounts), (svcId) => firmReads.adjuster(id, svcId)),
      testAccounts: await operatorReads.testAccounts(id),
      late: await jobReads.lateOffers(id, now),
      staff: await staffReads.ofFirm(id),
      keys: await operatorReads.keys(id),
      workingKeys: await operatorReads.workingKeys(id, now),
      keyPage: await operatorReads.keyPage(id, PAGE),
      webhooks: await stores.webhookReads.endpoints(id),
      audit: await stores.auditReads.rows(id, { after: 0, limit: 500 }),
      waiting: await stores.boardReads.claims(
        id,
        waiting,
        { at: 0, id: '00000000-0000-0000-0000-000000000000' },
        100,
      ),
      offerWait: await stores.boardReads.offerWaitHours(id),
    })),
    people: await each(people, async (svcId) => ({
      account: await appReads.adjuster(svcId),
      memberships: await appReads.memberships(svcId),
      invitations: await appReads.invitations(svcId, now, PAGE),
      offers: await appReads.claims(svcId, 'pending_acceptance', PAGE),
      accepted: await appReads.claims(svcId, 'accepted', PAGE),
      closed: await appReads.claims(svcId, 'closed', PAGE),
      pending: await each(firms, ({ id }) =>
        stores.unitOfWork.run(async (tx) =>
          (await tx.claims.lockPendingOf(id, svcId)).map((claim) => claim.id),
        ),
      ),
      activeFirms: await stores.unitOfWork.run((tx) => tx.memberships.activeFirmsOf(svcId)),
      ids: await appReads.claimIds(svcId, 'accepted'),
      sessions: await stores.accountReads.sessions({ svcId }, now),
      devices: await jobReads.devices(svcId, now),
    })),
    claims: await each(claims, async (id) => ({
      claim: await operatorReads.claim(id),
      jobs: (await operatorReads.jobsOfClaim(id)).map(({ kind }) => kind).sort(),
      history: await each(firms, (firm) => offerHistory.ofClaim(firm.id, id)),
      assignment: await each(firms, (firm) => jobReads.assignment(firm.id, id)),
      toAdjusters: await each(people, (svcId) => offerHistory.toAdjuster(svcId, id)),
      ofBoard: await each(firms, (firm) => stores.boardReads.claim(firm.id, id)),
    })),
    staff: await each(staff, (member) => staffReads.find(member)),
    firmsOf: await each(EMAILS, (email) => staffReads.firmsOf(email)),
    staffOf: await each(EMAILS, (email) => stores.unitOfWork.run((tx) => tx.staff.findByEmail(email))),
    grants: await each(keys, ({ secret }) => credentials.keyByHash(sha256(secret))),
    sessions: await each(tokens, (token) => credentials.sessionByHash(token)),
    open: [...(await credentials.openSessions(tokens, now))].sort(),
    deadlines: await jobReads.deadlineOverrides(),
    restamp: await operatorReads.latestRestamp(),
    latestTimestamp: await stores.unitOfWork.run((tx) => tx.feeds.lastTimestamp()),
    allFirms: await operatorReads.firms(),
    jobs: await stores.jobs.pending(),
  };
}

async function newWorld(
  stores: TestStores,
  clock: ReturnType<typeof createFixedClock>,
  runJobs: (handler: (job: Job) => Promise<void>) => Promise<number>,
): Promise<World> {
  const fixture = createFixture(stores, clock);
  const firms = [await fixture.newFirm(), await fixture.newFirm()];
  const [one, other] = firms as [TestFirm, TestFirm];
  const people = [await fixture.newMember(one), await fixture.newMember(other)];
  await fixture.use.addMember(one.id, at(people, 1));
  people.push((await fixture.newAdjuster()).svcId);
  const lists = { claims: [], staff: [], keys: [], webhooks: [], tokens: [] };
  const world = { fixture, firms, people, ...lists, runJobs: () => runJobs(fixture.use.runJob) };
  for (const name of ['send', 'inviteStaff', 'createKey', 'webhook', 'signIn'])
    await ACTIONS[name]?.(world, 0, 1, 1);
  return world;
}

/** Each walk begins with these, of which the first claim is the subject, so that each succeeds now and then. */
const FIRST: readonly (readonly [action: string, a: number, b: number, c: number])[] = [
  ['accept', 0, 0, 1],
  ['work', 0, 1, 1],
  ['log', 0, 1, 1],
  ['close', 0, 0, 1],
  ['send', 0, 0, 2],
  ['reject', 1, 0, 1],
  ['offer', 1, 1, 1],
  ['takeBack', 1, 0, 1],
  ['offer', 1, 1, 2],
  ['closeAtDesk', 1, 0, 2],
  ['invite', 0, 2, 0],
  ['decline', 0, 2, 0],
  ['invite', 1, 2, 0],
  ['withdraw', 1, 2, 0],
  ['invite', 1, 2, 0],
  ['join', 1, 2, 0],
  ['pause', 1, 2, 1],
  ['allow', 1, 2, 1],
  ['removeMember', 1, 2, 0],
  ['carrier', 0, 1, 0],
  ['removeCarrier', 0, 0, 0],
  ['inviteStaff', 0, 0, 0],
  ['removeStaff', 1, 0, 0],
];

const USUAL = [
  ...'send send accept accept offer work log close reject takeBack closeAtDesk closeAsOperator invite join leave enable runJobs'.split(
    ' ',
  ),
];

const step = fc.record({
  action: fc.constantFrom(...Object.keys(ACTIONS), ...Object.keys(ACTIONS), ...USUAL, ...USUAL, ...USUAL),
  ms: fc.constantFrom(1, 5, MINUTE, MINUTE, HOUR, DAY),
  numbers: fc.tuple(fc.nat(11), fc.nat(11), fc.nat(11)),
});

test('whatever happens, PostgreSQL and memory give the same answers and are read as the same', async () => {
  const first = FIRST.map(([action, ...numbers]) => ({ action, ms: 1, numbers }));
  const seen = new Set<string>();
  const walk = async (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
    const startedAt = Date.now();
    const clock = createFixedClock();
    const database = await createDatabase();
    const connected = await connect({ url: database.url, clock, poolMax: 4 });
    try {
      await withClient(database.url, async (sql) => {
        // PostgreSQL gives jobs that run at once the time of the server.
        const addedAt = new Map<string, number>();
        const waiting = async () => {
          const { rows } = await sql.query<{ id: string; job: Job; run_at: Date }>(
            'SELECT id, payload AS job, run_at FROM jobs ORDER BY id',
          );
          const jobs = rows.map(({ id, job, run_at }) => {
            const runAt = run_at.getTime();
            if (!addedAt.has(id) && runAt >= startedAt && runAt <= Date.now()) addedAt.set(id, clock.now());
            return { id, job, runAt: addedAt.get(id) ?? runAt };
          });
          return jobs.sort((one, other) => one.runAt - other.runAt);
        };
        const jobs = {
          pending: async () => (await waiting()).map(({ job, runAt }) => ({ job, runAt })),
        };
        const kept = await newWorld({ ...connected, jobs }, clock, async (handler) => {
          for (let count = 0; ; count += 1) {
            const due = (await waiting()).find(({ runAt }) => runAt <= clock.now());
            if (due === undefined) return count;
            await handler(due.job);
            await sql.query('DELETE FROM jobs WHERE id = $1', [due.id]);
          }
        });
        await waiting();
        const memory = createMemoryStores({ clock });
        const held = await newWorld(memory, clock, (handler) => memory.jobs.runDue(clock.now(), handler));
        let versions = await Promise.all(
          [kept, held].map(({ fixture }) => fixture.stores.credentials.version()),
        );
        for (const [n, { action, ms, numbers }] of [...first, ...steps].entries()) {
          clock.advance(ms);
          const answers = await Promise.all(
            [kept, held].map((world) =>
              (async () => ({ answer: await ACTIONS[action]?.(world, ...numbers) }))().catch((error) => ({
                error: error.code ?? error.message,
              })),
            ),
          );
          if (answers[0] !== undefined && 'answer' in answers[0]) seen.add(action);
          const now = await Promise.all(
            [kept, held].map(({ fixture }) => fixture.stores.credentials.version()),
          );
          const renewed = now.map((version, m) => version !== versions[m]);
          versions = now;
          const [ofKept, ofHeld] = answers.map((answer, m) => ({ action, ...answer, renewed: renewed[m] }));
          expect(ofKept).toEqual(ofHeld);
          await waiting();
          if (n % 10 < 9 && n + 1 < first.length + steps.length) continue;
          const [readOfKept, readOfHeld] = await Promise.all([kept, held].map(everything));
          expect({ action, ...readOfKept }).toEqual({ action, ...readOfHeld });
        }
      });
    } finally {
      await connected.close();
      await database.drop();
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80, size: 'max' }), walk), {
    numRuns: RUNS,
    seed: SEED,
    endOnFailure: process.env.WALK_SHRINK === undefined,
  });
  // A walk in which an action never succeeds proves nothing of it.
  if (RUNS >= 6) expect(Object.keys(ACTIONS).filter((action) => !seen.has(action))).toEqual([]);
}, 300_000);
