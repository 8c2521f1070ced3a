// Deterministic simulation: use cases of several clients on one database, interleaved by fast-check's scheduler, with
// crashes, lost responses, clock jumps and repeated jobs. Each client call is recorded as in a chaos run.

import { type ClaimView, Unavailable } from '@svc/application';
import { type ClaimId, DomainError, type Svcid } from '@svc/domain';
import { createFixedClock } from '@svc/testkit/fixed-clock';
import fc from 'fast-check';
import { checkHistory } from '../chaos/checker.ts';
import type { Call, Operation, ClaimView as SeenClaim } from '../chaos/history.ts';
import type { Pause } from './interleaved-stores.ts';
import { createInvariants, InvariantBroken } from './invariants.ts';
import { connectProcess, type Process, type World } from './world.ts';

/** What happens to an attempt at a request, at one of its steps. */
interface Fault {
  /** `crash`: the process ends there. `timeout`: the client gives up, and the process goes on. */
  readonly kind: 'crash' | 'timeout';
  readonly step: number;
}

interface Action {
  readonly type:
    | 'send'
    | 'offer'
    | 'accept'
    | 'reject'
    | 'leave'
    | 'revokePermission'
    | 'close'
    | 'job'
    | 'poll';
  readonly who: number;
  readonly which: number;
  readonly test: boolean;
  /** Of the first and the second attempt; the last attempts have none. */
  readonly faults: readonly (Fault | null)[];
  readonly clockJumpMs: number;
}

const fault = fc.option(fc.record({ kind: fc.constantFrom('crash', 'timeout'), step: fc.nat(16) }), {
  freq: 2,
}) satisfies fc.Arbitrary<Fault | null>;

const action: fc.Arbitrary<Action> = fc.record({
  type: fc.constantFrom(
    ...(['send', 'send', 'send', 'offer', 'offer', 'accept', 'accept', 'reject'] as const),
    ...(['leave', 'revokePermission', 'close', 'job', 'poll', 'poll'] as const),
  ),
  who: fc.nat(1),
  which: fc.nat(3),
  test: fc.nat(4).map((n) => n === 0),
  faults: fc.tuple(fault, fault),
  clockJumpMs: fc.constantFrom(0, 0, 1, -1, 5_000, -5_000, 3_600_000, -3_600_000),
});

export const schedule = fc.tuple(fc.array(action, { minLength: 2, maxLength: 6 }), fc.scheduler());
type Schedule = [readonly Action[], fc.Scheduler];

/** A process and the calls that it serves at the same time. */
interface Host {
  readonly number: number;
  readonly served: Set<{ step(): void }>;
  readonly pause: Pause;
  readonly process: Process;
  crashed: boolean;
}
const HOSTS = 2;

class ProcessCrashed extends Error {
  override readonly name = 'ProcessCrashed';
}

/** Rules of the chaos checker that need what a simulation does not have. */
const NOT_SIMULATED = [
  'every error has a reason',
  'rate limits hold within the documented approximation',
  'no offer waits for an adjuster who may not accept it',
];
/** More than the crashes of a schedule, each of which ends every call of its process. */
const MAX_ATTEMPTS = 16;

/** Runs one schedule and throws an error when a guarantee is violated. */
export async function runSchedule(
  world: World,
  [actions, scheduler]: Schedule,
  counts = { together: 0 },
): Promise<void> {
  const { firm, adjusters, accounts } = world;
  const shared = world.shared.copy();
  const invariants = createInvariants(shared);
  const clock = createFixedClock(Date.parse('2026-09-01T13:00:00.000Z'));
  const calls: Call[] = [];
  const serving: Promise<unknown>[] = [];
  const known: ClaimId[] = [...world.claims];
  let violated: unknown;
  let time = 0;
  let tasks = 0;
  let processes = 0;
  const hosts = new Map<number, Host>();
  const tick = (): number => {
    time += 1;
    return time;
  };

  /** Starts a process, or the one that takes the place of a crashed one. */
  function startHost(): Host {
    processes += 1;
    const number = processes;
    const served = new Set<{ step(): void }>();
    const pause: Pause = async (point) => {
      if (point === 'committed') checkInvariants();
      await scheduler.schedule(Promise.resolve(), `process ${number} ${point}`);
      tick();
      for (const each of served) each.step();
      if (host.crashed) throw new ProcessCrashed();
    };
    const onCommit = (claims: number) => {
      checkInvariants();
      if (claims > 1) counts.together += 1;
    };
    const process = connectProcess(shared, clock, { series: number, pause, onCommit });
    const host: Host = { number, served, pause, process, crashed: false };
    return host;
  }

  /** Runs work in one of two processes, which others use at the same time. Null: the client got no response. */
  async function call<T>(
    at: number,
    fault: Fault | null,
    work: (process: Process) => Promise<T>,
  ): Promise<T | null> {
    const slot = at % HOSTS;
    const running = hosts.get(slot);
    const host = running === undefined || running.crashed ? startHost() : running;
    hosts.set(slot, host);
    let giveUp: () => void = () => {};
    const timeout = new Promise<null>((resolve) => {
      giveUp = () => resolve(null);
    });
    let steps = 0;
    const served = {
      step() {
        if (steps === fault?.step) {
          if (fault.kind === 'crash') host.crashed = true;
          else giveUp();
        }
        steps += 1;
      },
    };
    host.served.add(served);
    const serve = host
      .pause('request')
      .then(() => work(host.process))
      .catch((error: unknown) => {
        if (error instanceof ProcessCrashed || error instanceof Unavailable) return null;
        throw error;
      })
      .finally(() => host.served.delete(served));
    // Goes on after the client has given up.
    serving.push(
      serve.catch((error: unknown) => {
        if (!(error instanceof DomainError)) violated ??= error;
      }),
    );
    return Promise.race([serve, timeout]);
  }

  function checkInvariants(): void {
    try {
      invariants.check();
    } catch (error) {
      violated ??= error;
    }
  }

  interface Request {
    readonly operation: Operation;
    readonly actor: string;
    /** Of an adjuster: null. */
    readonly firm: string | null;
    readonly idempotencyKey?: string;
    readonly intent: Call['intent'];
    readonly run: (
      process: Process,
    ) => Promise<{ claims: readonly ClaimView[]; replayed?: boolean; more?: boolean }>;
  }

  /** Sends a request until it gets a response, as clients do. */
  async function send(request: Request, faults: Action['faults']): Promise<readonly ClaimView[]> {
    const { operation, actor, firm: tag, idempotencyKey, intent, run } = request;
    tasks += 1;
    const task = tasks;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const startedAt = tick();
      const record = (rest: Partial<Call> & Pick<Call, 'status'>): void =>
        void calls.push({
          n: calls.length,
          firm: tag,
          actor,
          operation,
          task,
          attempt,
          process: processes,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
          intent,
          startedAt,
          endedAt: tick(),
          seen: [],
          ...rest,
        });
      try {
        const response = await call(task + attempt, faults[attempt - 1] ?? null, run);
        if (response === null) {
          record({ status: null });
          continue;
        }
        const { claims, replayed, more } = response;
        record({
          status: 200,
          seen: claims.map(seenOf),
          ...(replayed === true && { replayed }),
          ...(more === true && { hasMore: true }),
        });
        for (const { id } of claims) if (!known.includes(id)) known.push(id);
        return claims;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        record({ status: error.code === 'not_found' ? 404 : 409, code: error.code });
        return [];
      }
    }
    return [];
  }

  const one = (claim: ClaimView) => ({ claims: [claim] });

  async function perform({ type, who, which, test, faults, clockJumpMs }: Action, n: number): Promise<void> {
    const actor = `client ${n + 1}`;
    const adjuster = (test ? accounts : adjusters)[who] as Svcid;
    const credentials = test ? firm.test : firm.live;
    const id = known[which % known.length] as ClaimId;
    const mayHaveLeft = true;
    if (clockJumpMs !== 0) {
      await scheduler.schedule(Promise.resolve(), `clock jumps by ${clockJumpMs} ms`);
      clock.advance(clockJumpMs);
    }
    const asClient = (
      operation: Operation,
      request: Pick<Request, 'intent' | 'run' | 'idempotencyKey'>,
      from: string | null = 'firm',
    ) => send({ operation, actor, firm: from, ...request }, faults);
    const fingerprint = `${type} ${adjuster} ${which}`;
    if (type === 'send') {
      // Some clients send the same request, some the same external id or key with another request.
      const externalId = `E-${which % 2}`;
      const key = `send-${which}-${who}`;
      await asClient('send', {
        idempotencyKey: `${credentials.environment} ${key}`,
        intent: { externalId: `${credentials.environment} ${externalId}`, adjuster, mayHaveLeft },
        run: async (process) => {
          const facts = {
            externalId,
            claimNumber: `N-${externalId}`,
            carrier: { name: 'Carrier' },
          };
          const asSent = JSON.stringify({ external_id: externalId }) as ClaimView['asSent'];
          const sent = await process.sendClaim(credentials, {
            adjuster,
            facts,
            asSent,
            idempotencyKey: key,
            fingerprint,
          });
          return { claims: [sent.claim], replayed: sent.replayed };
        },
      });
    } else if (type === 'offer') {
      const key = `offer-${which}-${who}-${n % 2}`;
      await asClient('offer', {
        idempotencyKey: `${credentials.environment} ${key}`,
        intent: { claimId: id, adjuster, mayHaveLeft },
        run: async (process) => {
          const command = { claimId: id, adjuster, idempotencyKey: key, fingerprint: `${fingerprint} ${id}` };
          const sent = await process.offerClaim(credentials, command);
          return { claims: [sent.claim], replayed: sent.replayed };
        },
      });
    } else if (type === 'accept' || type === 'reject') {
      const reason = `reason of ${actor}`;
      const run = async (process: Process) =>
        one(
          await (type === 'accept'
            ? process.acceptClaim({ svcId: adjuster }, id)
            : process.rejectClaim({ svcId: adjuster }, id, reason)),
        );
      await asClient(
        type,
        { intent: { claimId: id, adjuster, ...(type === 'reject' && { reason }) }, run },
        null,
      );
    } else if (type === 'leave') {
      const run = async (process: Process) => {
        await process.leaveFirm({ svcId: adjuster }, firm.id);
        return { claims: [] };
      };
      await asClient('leave', { intent: { adjuster }, run }, null);
      if (which % 2 === 0) await byOperator((process) => process.addMember(firm.id, adjuster));
    } else if (type === 'revokePermission') {
      // Removing the permission ends pending offers, as leaving does.
      const run = async (process: Process) => {
        await process.setMember(firm.id, adjuster, false).catch(ignoreOperatorError);
        return { claims: [] };
      };
      await asClient('leave', { intent: { adjuster }, run }, null);
      if (which % 2 === 0) await byOperator((process) => process.setMember(firm.id, adjuster, true));
    } else if (type === 'close') {
      const run = async (process: Process) => {
        await process.closeClaim(id);
        return { claims: [] };
      };
      await asClient('close', { intent: { claimId: id }, run }, null);
    } else if (type === 'job') await runJobs(which, faults[0] ?? null);
    else await asClient('get', { intent: { claimId: id }, run: (process) => read(process, id) });
  }

  async function read(process: Process, id: ClaimId): Promise<{ claims: readonly ClaimView[] }> {
    const claim = await process.reads.claim(firm.id, 'live', id);
    return { claims: claim === null ? [] : [claim] };
  }

  const byOperator = (work: (process: Process) => Promise<unknown>): Promise<unknown> =>
    call(0, null, (process) => work(process).catch(ignoreOperatorError));

  /** Runs one waiting job, or all of them. A crash leaves it in the queue, so that it runs again. */
  async function runJobs(which: number | 'all', fault: Fault | null): Promise<void> {
    const jobs = shared.jobs();
    const chosen = which === 'all' ? jobs : jobs.slice(which, which + 1);
    for (const { number } of chosen)
      await call(number, fault, (process) => process.runJob(number, process.handleJob));
  }

  let since: number | null = null;
  let polls = 0;
  /** Polls all pages from the last change it has seen. */
  async function poll(): Promise<boolean> {
    polls += 1;
    const from: number | null = since;
    const intent = { poll: polls };
    let after: { at: number; id: string } | null = null;
    do {
      const page = { after, limit: 2 };
      const filter = from === null ? {} : { updatedSince: from };
      let next: { at: number; id: string } | null = null;
      const run = async (process: Process) => {
        const rows = await process.reads.claims(firm.id, 'live', filter, page);
        next = rows.next;
        return { claims: rows.rows, more: rows.next !== null };
      };
      const claims = await send({ operation: 'poll', actor: 'poller', firm: 'firm', intent, run }, []);
      for (const { updatedAt } of claims) since = Math.max(since ?? updatedAt, updatedAt);
      after = next;
    } while (after !== null);
    return since !== from;
  }

  const poller = async (): Promise<void> => {
    await poll();
    await poll();
  };
  recordPreparation();
  await settle([...actions.map(perform), poller()]);
  // Without faults, every job runs, one of them twice, and the poller reads to the end.
  await settle([runJobs('all', null), runJobs(0, null)]);
  await settle([runJobs('all', null)]);
  const pollToTheEnd = async (): Promise<void> => {
    while (await poll());
  };
  await settle([pollToTheEnd()]);
  checkInvariants();
  if (violated !== undefined) throw violated;

  const final = shared.committed.claims.all();
  const { violations, counts: checked } = checkHistory({
    seed: '',
    processes,
    calls,
    faults: [],
    localBuckets: [],
    final: new Map([['firm', final.map((claim) => seenOf(claim))]]),
    audit: new Map(),
    limited: [],
    autoResponding: new Set([accounts[1]]),
  });
  const found = violations.filter(({ rule }) => !NOT_SIMULATED.includes(rule));
  if (found.length > 0)
    throw new InvariantBroken(found.map(({ rule, description }) => `${rule}: ${description}`).join('\n'));
  if (checked.undecided > 0) throw new InvariantBroken('the search for an order took too long');

  /** Lets the scheduler run everything, also what clients no longer wait for. */
  async function settle(work: Promise<unknown>[]): Promise<void> {
    await scheduler.waitFor(Promise.all(work));
    await scheduler.waitFor(Promise.all(serving.splice(0)));
  }

  /** The claims that exist already, as if each had just been sent. */
  function recordPreparation(): void {
    for (const claim of shared.committed.claims.all()) {
      const { adjuster } = claim.assignment;
      const seen = seenOf(claim);
      const base = { firm: 'firm', actor: 'preparation', attempt: 1, process: 0, status: 201 };
      const intent = { externalId: seen.externalId, adjuster, mayHaveLeft: true };
      tasks += 1;
      const idempotencyKey = `prepared ${claim.id}`;
      const [startedAt, endedAt] = [tick(), tick()];
      calls.push({
        ...base,
        n: calls.length,
        task: tasks,
        operation: 'send',
        idempotencyKey,
        intent,
        startedAt,
        endedAt,
        seen: [seen],
      });
    }
  }
}

/** What the operator asks for may not apply any more. */
function ignoreOperatorError(error: unknown): null {
  if (error instanceof Error && (error.name === 'OperatorError' || error instanceof DomainError)) return null;
  throw error;
}

const timeOf = (instant: number): string => new Date(instant).toISOString();

function seenOf({ id, environment, assignment, asSent, createdAt, updatedAt }: ClaimView): SeenClaim {
  const { status, adjuster, respondedAt, rejectionReason } = assignment;
  return {
    id,
    externalId: `${environment} ${JSON.parse(asSent).external_id}`,
    status,
    adjuster,
    respondedAt: respondedAt === null ? null : timeOf(respondedAt),
    reason: rejectionReason,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
  };
}
