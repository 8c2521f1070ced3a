import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@svc/client';
import type { ApiProcess } from '../cluster/api-process.ts';
import { startCluster } from '../cluster/index.ts';
import { keepAlive } from '../cluster/keep-alive.ts';
import { seededRandom } from '../generate/random.ts';
import type { Audit } from '../services/operator.ts';
import { createCaller, createRecorder, runCommand, tagOf, viewOf } from './caller.ts';
import { checkHistory, type Violation } from './checker.ts';
import {
  accountClient,
  adjusterClient,
  type ClientContext,
  type FirmState,
  firmClient,
  inviter,
  type KnownAdjuster,
  keyClient,
  limitedClient,
  type OperatorCommands,
  operatorClient,
  poller,
  readOnlyClient,
  type Turns,
  testKeyClient,
} from './clients.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import {
  addEndpoint,
  type DeskReader,
  dispatcher,
  endpointOwner,
  importer,
  readDesk,
  staffClient,
  startSignalReceiver,
} from './desk-clients.ts';
import {
  type Call,
  type ClaimView,
  type Fault,
  type FaultKind,
  grouped,
  type History,
  type Interval,
  type LimitedKey,
} from './history.ts';
import { BASE_DATABASE_FAULT_RATE, BASE_FAULT_RATE, injectFaults } from './nemesis.ts';
import { neverSeen } from './sometimes.ts';

export type ChaosReport = ReturnType<typeof summarize> &
  Omit<ReturnType<typeof judge>, 'verdict'> & {
    readonly seconds: number;
    /** What the general checks were run on. */
    readonly judged: ReturnType<typeof checkHistory>['counts'];
    /** From the start of the load until a check found the violations; at the end of the run unless `untilViolation`. */
    readonly foundAfterSeconds: number;
    /** What a complete run must have met. */
    readonly neverSeen: readonly string[];
  };

const FIRMS = 3;
/** A process whose clock is a minute off is not ready. */
const MAX_CLOCK_ERROR_MS = 45_000;
const SENDERS = 2;
/** Jobs of a killed process are retried after a minute, which shorter runs do not wait for. */
const MIN_SECONDS_FOR_JOBS = 45;
/** A process may take this long to connect to Redis. */
const REDIS_CONNECT_MS = 3_000;
const PROGRESS_MS = 60_000;
const LONGEST_EXTENSION_MS = 240_000;
/** In bytes; about that of a commit, so that many cuts leave its outcome unknown. */
const DATABASE_RESPONSE_LENGTH = 200;
const JOBS_TIMEOUT_MS = 120_000;
const TEST_KEY = { requestsPerMinute: 60, burst: 20 };
/** Judging a run of five minutes takes seconds, in which no client runs. */
const MIN_MS_BETWEEN_CHECKS = 10_000;
/** Keys, tokens and personal data, which must not be logged. */
const SENSITIVE = [
  /svc_(live|test|app|staff|signin)_[0-9A-Za-z]{20,}|whsec_/,
  /Secretive|Holder-tag|813-555|Harbor tag|Delacroix/,
];

/** Runs the service on real servers under fault injection, and reports violated guarantees. */
export async function runChaos({
  seconds,
  seed,
  processes: count,
  failover = false,
  isEnough = () => true,
  untilViolation = false,
  log = () => {},
  historyFile,
}: {
  readonly seconds: number;
  readonly seed: string;
  readonly processes: number;
  /** Runs PostgreSQL as a primary with a synchronous standby, and adds the fault 'postgres failover'. */
  readonly failover?: boolean;
  /** Goes on after `seconds` until this is true, at most four minutes: a busy machine gets less done. */
  readonly isEnough?: (met: ReturnType<typeof metIn>) => boolean;
  /** Judges after each fault too, and stops at the first violation. */
  readonly untilViolation?: boolean;
  readonly log?: (line: string) => void;
  /** Where the recorded requests are written as JSON Lines. */
  readonly historyFile?: string;
}): Promise<ChaosReport> {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    return await run();
  } finally {
    for (const end of ends.reverse()) await end().catch(() => {});
  }

  async function run(): Promise<ChaosReport> {
    const random = seededRandom(seed);
    const clocks = random.fork('clocks');
    const recorder = createRecorder();
    /** When each run of each process started to listen. */
    const listeningSince: number[][] = Array.from({ length: count }, () => []);
    let databaseProxy: CuttingProxy | undefined;
    const proxyDatabase = async (url: string): Promise<string> => {
      const proxied = new URL(url);
      const to = { port: Number(proxied.port) };
      databaseProxy = await startCuttingProxy(to, random.fork('database proxy'), DATABASE_RESPONSE_LENGTH);
      ends.push(async () => databaseProxy?.close());
      proxied.port = String(databaseProxy.port);
      return proxied.href;
    };
    const cluster = await startCluster({
      processes: count,
      standby: failover,
      log,
      env: { LOG_LEVEL: 'info', DB_POOL_MAX: '8' },
      clockAheadMs: () => clocks.integer(-MAX_CLOCK_ERROR_MS, MAX_CLOCK_ERROR_MS),
      ...(!failover && { databaseProxy: proxyDatabase }),
      onLine(line, n) {
        if (line.includes('Listening on')) listeningSince[n]?.push(performance.now());
        // The causes of internal errors, which responses do not have.
        if (line.includes('request failed') && line.includes('internal_error')) log(line.trim());
      },
    });
    ends.push(() => cluster.stop());
    const { processes, postgres, redis, operator } = cluster;
    const kept = processes.map(keepAlive);
    ends.push(async () => {
      for (const each of kept) each.stop();
    });
    const proxies: CuttingProxy[] = [];
    ends.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
    for (const [n, process] of processes.entries())
      proxies.push(await startCuttingProxy(process, random.fork(`proxy ${n}`)));
    const urls = proxies.map(({ port }) => `http://127.0.0.1:${port}`);

    let on = true;
    const clients: Promise<void>[] = [];
    const context = (actor: string, firm: string | null, token: string): ClientContext => {
      const own = random.fork(actor);
      const caller = createCaller({ recorder, urls, random: own, firm, actor, token });
      ends.push(() => caller.close());
      return { caller, random: own, isOn: () => on };
    };

    // One adjuster works for all firms, some for one; one of each firm leaves and rejoins, and responds on a second device
    // at the same time, and one is disabled at times. The last firm uses its test key and test accounts.
    const shared: KnownAdjuster = { svcId: 'SVC-shared', leaves: false };
    const sharedToken = (await operator.adjuster({ svcId: shared.svcId })).token;
    const firms: { id: string; tag: string; key: string; state: FirmState; desk: DeskReader }[] = [];
    const states: FirmState[] = [];
    const pollers: ReturnType<typeof poller>[] = [];
    const autoResponding = new Set<string>();
    const limited: LimitedKey[] = [];
    for (let n = 1; n <= FIRMS; n += 1) {
      const tag = tagOf(n);
      const isTestFirm = n === FIRMS;
      const firm = await operator.firm({ name: `Firm ${tag}` });
      const key = isTestFirm ? firm.test : firm.live;
      const people: { adjuster: KnownAdjuster; token: string }[] = [];
      if (isTestFirm) {
        const { manual, accepts, rejects } = firm.account;
        people.push({ adjuster: { svcId: manual, leaves: false }, token: await operator.session(manual) });
        if (seconds >= MIN_SECONDS_FOR_JOBS) {
          for (const svcId of [accepts, rejects]) autoResponding.add(svcId);
        }
      } else {
        for (const leaves of [false, true]) {
          const svcId = `SVC-${tag}-${leaves ? 'leaver' : 'stayer'}`;
          const { token } = await operator.adjuster({ svcId });
          await operator.addMember(firm.id, svcId);
          people.push({ adjuster: { svcId, leaves }, token });
        }
        await operator.addMember(firm.id, shared.svcId);
      }
      const adjusters = people.map(({ adjuster }) => adjuster);
      const disabled: KnownAdjuster[] = [];
      if (!isTestFirm) {
        const svcId = `SVC-${tag}-disabled`;
        await operator.adjuster({ svcId });
        await operator.addMember(firm.id, svcId);
        disabled.push({ svcId, leaves: false, isDisabledAtTimes: true });
      }
      const state: FirmState = {
        tag,
        adjusters: [
          ...adjusters,
          ...disabled,
          ...(isTestFirm ? [...autoResponding].map((svcId) => ({ svcId, leaves: false })) : [shared]),
        ],
        claims: new Map(),
        sent: [],
        trials: [],
        get others() {
          return states.filter((each) => each !== state);
        },
      };
      states.push(state);
      const environment = isTestFirm ? 'test' : 'live';
      const receiver = await startSignalReceiver(recorder.now);
      ends.push(() => receiver.close());

      const staff = await operator.staff(firm.id);
      firms.push({
        id: firm.id,
        tag,
        key,
        state,
        desk: { receiver, token: staff.token, key, test: isTestFirm },
      });
      const desk = (name: string) => context(`${tag} ${name}`, tag, staff.token);
      for (const name of ['dispatcher1', 'dispatcher2'])
        clients.push(dispatcher(desk(name), state, { name, environment }));
      const developer = desk('developer');
      const endpoint = await addEndpoint(developer.caller, receiver, environment);
      clients.push(endpointOwner(developer, developer.caller, receiver, endpoint));
      if (!isTestFirm) {
        clients.push(importer(desk('importer'), state));
        let added = 0;
        clients.push(
          staffClient(desk('admin'), state, async () => {
            const person = await runCommand(recorder, 'add staff', {}, () =>
              operator.staff(firm.id, 'dispatcher'),
            );
            if (person === null) return null;
            added += 1;
            return { id: person.id, caller: context(`${tag} staff ${added}`, tag, person.token).caller };
          }),
        );
      }
      if (!isTestFirm)
        clients.push(testKeyClient(context(`${tag} test key`, tag, firm.test), state, firm.account.manual));
      for (let sender = 1; sender <= SENDERS; sender += 1) {
        const name = `sender${sender}`;
        clients.push(firmClient(context(`${tag} ${name}`, tag, key), state, name));
      }
      const leavers = adjusters.filter(({ leaves }) => leaves);
      if (leavers.length > 0) clients.push(inviter(context(`${tag} inviter`, tag, key), leavers));
      const polling = context(`${tag} poller`, tag, key);
      const feed = poller(polling);
      pollers.push(feed);
      clients.push(
        (async () => {
          while (on) {
            await feed.poll();
            await sleep(polling.random.integer(20, 200));
          }
        })(),
      );
      for (const { adjuster, token } of people) {
        clients.push(adjusterClient(context(adjuster.svcId, null, token), adjuster, [firm.id]));
        if (adjuster.leaves) {
          const device = context(`${adjuster.svcId} second device`, null, token);
          clients.push(adjusterClient(device, { ...adjuster, leaves: false }, [firm.id]));
        }
      }
    }
    clients.push(adjusterClient(context(shared.svcId, null, sharedToken), shared, []));
    const small = await operator.firm({ name: 'Rate-limited firm', limited: true });
    limited.push({ actor: 'limited', ...TEST_KEY });
    clients.push(limitedClient(context('limited', tagOf(0), small.test)));
    const readOnly = await operator.firm({ name: 'Firm that only reads', plan: 'read_only' });
    clients.push(readOnlyClient(context('read only', tagOf(FIRMS + 1), readOnly.live), shared.svcId));
    clients.push(...operate(firms.filter(({ state }) => state.adjusters.some(({ leaves }) => leaves))));

    for (const proxy of proxies) proxy.faultRate = BASE_FAULT_RATE;
    if (databaseProxy !== undefined) databaseProxy.faultRate = BASE_DATABASE_FAULT_RATE;
    log(`${count} processes started, seed ${seed}`);
    const faults: Fault[] = [];
    const startedAt = performance.now();
    const deadline = startedAt + seconds * 1_000;
    const progress = setInterval(() => {
      const minutes = Math.round((performance.now() - startedAt) / 60_000);
      const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20);
      log(`${minutes} min: ${recorder.calls.length} requests, ${faults.length} faults, ${megabytes} MB`);
    }, PROGRESS_MS);
    ends.push(async () => clearInterval(progress));
    const report = async (rest: Pick<History, 'calls' | 'final' | 'audit' | 'desks' | 'isPartial'>) => {
      const history: History = {
        seed,
        hasStandby: failover,
        processes: count,
        timeOrigin: performance.timeOrigin,
        faults,
        localBuckets: processes.flatMap(({ output }, n) => localBucketsOf(output, listeningSince[n] ?? [])),
        limited,
        autoResponding,
        ...rest,
      };
      log(`judging ${history.calls.length} requests`);
      const { verdict, ...judged } = judge(history, processes, kept);
      const foundAfterSeconds = Math.round((performance.now() - startedAt) / 1_000);
      const isLast = !history.isPartial || judged.violations.length > 0;
      if (historyFile !== undefined && isLast) await writeFile(historyFile, linesOf(history.calls));
      return {
        ...summarize(history, proxies),
        ...judged,
        seconds,
        judged: verdict.counts,
        foundAfterSeconds,
        neverSeen: neverSeen(history),
      };
    };
    let early: ChaosReport | undefined;
    let judgedLast = startedAt;
    /** Between two faults, when their effects on rate limits are recorded. */
    const hasViolation = async (): Promise<boolean> => {
      if (performance.now() - judgedLast < MIN_MS_BETWEEN_CHECKS) return false;
      const final = new Map(firms.map(({ tag }) => [tag, []]));
      early = await report({
        calls: recorder.callsSoFar(),
        final,
        audit: new Map(),
        desks: new Map(),
        isPartial: true,
      });
      judgedLast = performance.now();
      return early.violations.length > 0;
    };
    await injectFaults({ processes, proxies, databaseProxy, redis, postgres }, random.fork('nemesis'), {
      isOn: async () => {
        const late = performance.now() - deadline;
        const goesOn =
          late < 0 || (late < LONGEST_EXTENSION_MS && !isEnough(metIn({ calls: recorder.calls, faults })));
        return goesOn && !(untilViolation && (await hasViolation()));
      },
      now: recorder.now,
      longestHoldMs: seconds < MIN_SECONDS_FOR_JOBS ? 900 : 3_500,
      report(fault) {
        faults.push(fault);
        log(
          `${fault.kind}, ${Math.round(fault.endedAt - fault.startedAt)} ms; all healthy ${Math.round(fault.recoveredAfter)} ms later`,
        );
      },
    });

    clearInterval(progress);
    // Without faults, every client finishes its current task.
    for (const proxy of [...proxies, databaseProxy]) if (proxy !== undefined) proxy.faultRate = 0;
    on = false;
    if (early !== undefined && early.violations.length > 0) {
      for (const client of clients) client.catch(() => {});
      return early;
    }
    await Promise.all(clients);
    log('waiting for jobs and webhooks');
    const url = processes[0]?.url ?? '';
    const readAll = async (): Promise<Map<string, readonly ClaimView[]>> =>
      new Map(
        await Promise.all(
          firms.map(async ({ tag, key }) => [tag, await listAll(url, key)] as [string, readonly ClaimView[]]),
        ),
      );
    const jobsDeadline = performance.now() + JOBS_TIMEOUT_MS;
    while (autoResponding.size > 0 && performance.now() < jobsDeadline) {
      const waits = [...(await readAll()).values()]
        .flat()
        .some(({ status, adjuster }) => status === 'pending_acceptance' && autoResponding.has(adjuster));
      if (!waits) break;
      await sleep(500);
    }
    await sleep(300);
    for (const feed of pollers) while (await feed.poll());
    const final = await readAll();
    const desks = new Map(
      await Promise.all(
        firms.map(async ({ tag, desk }) => [tag, await readDesk(url, desk, final.get(tag) ?? [])] as const),
      ),
    );
    const audit = new Map<string, Audit>([
      ['the service', await operator.audit()],
      ['the rate-limited firm', await operator.audit(small.id)],
    ]);
    for (const { id, tag } of firms) audit.set(tag, await operator.audit(id));

    return report({ calls: recorder.calls, final, audit, desks });

    /** What the operator does while the service runs. */
    function operate(of: typeof firms): Promise<void>[] {
      const turns = (name: string): Turns => ({ random: random.fork(name), isOn: () => on });
      const firmOf = (svcId: string): string =>
        of.find(({ state }) => state.adjusters.some((each) => each.svcId === svcId))?.id ?? '';
      const commands: OperatorCommands = {
        permit: (adjuster, canAcceptClaims) =>
          runCommand(recorder, canAcceptClaims ? 'permit' : 'suspend', { adjuster }, () =>
            operator.setMember(firmOf(adjuster), adjuster, canAcceptClaims),
          ),
        close: (claimId) => runCommand(recorder, 'close', { claimId }, () => operator.closeClaim(claimId)),
      };
      const keys = turns('keys');
      let issued = 0;
      const issue: Parameters<typeof keyClient>[1] = async () => {
        const { id, tag } = keys.random.pick(of);
        const key = await runCommand(recorder, 'create key', {}, () => operator.key(id));
        if (key === null) return null;
        issued += 1;
        const { caller } = context(`${tag} key ${issued}`, tag, key.secret);
        const revoke = () => runCommand(recorder, 'revoke key', {}, () => operator.revoke(key.id));
        return { caller, revoke };
      };
      const states = of.map(({ state }) => state);
      const disabledAtTimes = states.flatMap(({ adjusters }) =>
        adjusters.filter(({ isDisabledAtTimes }) => isDisabledAtTimes),
      );
      const accounts = disabledAtTimes.map(({ svcId: adjuster }) =>
        accountClient(turns(`account ${adjuster}`), (isEnabled) =>
          runCommand(recorder, isEnabled ? 'enable' : 'disable', { adjuster }, () =>
            operator.setEnabled(adjuster, isEnabled),
          ),
        ),
      );
      return [operatorClient(turns('operator'), commands, states), keyClient(keys, issue), ...accounts];
    }
  }
}

function judge(
  history: History,
  processes: readonly ApiProcess[],
  kept: readonly ReturnType<typeof keepAlive>[],
) {
  const from = performance.now();
  const verdict = checkHistory(history);
  const violations = [...verdict.violations, ...ofProcesses(processes, kept)];
  return { verdict, violations, judgedInSeconds: Math.round((performance.now() - from) / 1_000) };
}

function* linesOf(calls: readonly Call[]): Iterable<string> {
  for (const call of calls) yield `${JSON.stringify(call)}\n`;
}

/** A process counts requests locally until it has connected to Redis, and while Redis is unavailable. */
function localBucketsOf(printed: readonly string[], listeningSince: readonly number[]): Interval[] {
  const intervals = listeningSince.map((at) => ({
    startedAt: at - REDIS_CONNECT_MS,
    endedAt: at + REDIS_CONNECT_MS,
  }));
  let away: number | null = null;
  for (const line of printed) {
    const [, word] = /"Redis is (unavailable|available again)/.exec(line) ?? [];
    if (word === undefined) continue;
    const at = Date.parse(JSON.parse(line).timestamp) - performance.timeOrigin;
    if (word === 'unavailable') {
      if (away !== null) intervals.push({ startedAt: away, endedAt: at });
      away = at;
    } else {
      // Local counting starts slightly before the log line.
      intervals.push({ startedAt: (away ?? at) - 1_000, endedAt: at });
      away = null;
    }
  }
  if (away !== null) intervals.push({ startedAt: away, endedAt: performance.now() });
  return intervals;
}

/** Log lines and startup messages. */
const EXPECTED_OUTPUT = /^$|^\{"|^Listening on |^The service did not start: /;

function ofProcesses(
  processes: readonly ApiProcess[],
  kept: readonly ReturnType<typeof keepAlive>[],
): Violation[] {
  return processes.flatMap(({ output }, n) => {
    const exits = kept[n]?.unexpectedExits ?? [];
    const found: Violation[] = [];
    const note = (rule: string, description: string): void =>
      void found.push({ rule, description, calls: [] });
    for (const exit of exits) note('no process ends unexpectedly', `process ${n}: ${exit}`);
    const unexpected = output.find((line) => !EXPECTED_OUTPUT.test(line));
    if (unexpected !== undefined && exits.length === 0)
      note('nothing is printed outside the log', unexpected);
    for (const secret of SENSITIVE) {
      const line = output.find((each) => secret.test(each));
      if (line !== undefined) note('no sensitive data is logged', line.slice(0, 300));
    }
    return found;
  });
}

export async function listAll(baseUrl: string, apiKey: string): Promise<ClaimView[]> {
  const all: ClaimView[] = [];
  for await (const claim of createClient({ baseUrl, apiKey }).claims.list({ limit: 200 }))
    all.push(viewOf(claim));
  return all;
}

/** What a run has met so far. */
function metIn({ calls, faults }: Pick<History, 'calls' | 'faults'>) {
  const limited = calls.filter(({ operation }) => operation === 'limited');
  const limitedWith = (status: number) => limited.filter((call) => call.status === status).length;
  return {
    faultKinds: new Set(faults.map(({ kind }) => kind)).size,
    /** Of files, that became claims. */
    rows: calls.flatMap(({ rows = [] }) => rows).filter(({ outcome }) => outcome === 'sent').length,
    limited: { accepted: limitedWith(200), rejected: limitedWith(429) },
  };
}

function summarize(history: History, proxies: readonly CuttingProxy[]) {
  const { seed, processes, calls, faults } = history;
  const countOf = (kind: FaultKind): number => faults.filter((fault) => fault.kind === kind).length;
  const callsWith = (status: Call['status']) => calls.filter((call) => call.status === status).length;
  return {
    ...metIn(history),
    seed,
    processes,
    requests: calls.length,
    /** Requests without a complete response. */
    lost: callsWith(null),
    unavailable: callsWith(503),
    tasks: [...grouped(calls, ({ operation }) => operation)].map(
      ([operation, of]) => [operation, new Set(of.map(({ task }) => task)).size] as const,
    ),
    replays: calls.filter(({ replayed }) => replayed === true).length,
    claims: [...history.final.values()].flat().length,
    signals: [...history.desks.values()].flatMap(({ signals }) => signals).length,
    receipts: [...history.desks.values()].flatMap(({ receipts }) => receipts).length,
    cut: {
      requests: proxies.reduce((sum, { cut }) => sum + cut.requests, 0),
      responses: proxies.reduce((sum, { cut }) => sum + cut.responses, 0),
    },
    /** SIGKILLs, by what they ended. */
    kills: {
      processes: countOf('process killed') + processes * countOf('all processes killed'),
      redis: countOf('redis killed'),
      postgres: countOf('postgres killed') + countOf('postgres failover'),
    },
    /** Of each kind of fault, the milliseconds until all processes were healthy again, sorted. */
    recoveries: [...grouped(faults, ({ kind }) => kind)]
      .map(
        ([kind, of]) =>
          [kind, of.map((each) => Math.round(each.recoveredAfter)).sort((a, b) => a - b)] as const,
      )
      .sort(),
  };
}
