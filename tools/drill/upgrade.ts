import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTemporaryFolder, freePort, SELF } from '@svc/embedded-postgres';
import { createCaller, createRecorder, tagOf } from '../chaos/caller.ts';
import { listAll } from '../chaos/chaos.ts';
import { checkHistory } from '../chaos/checker.ts';
import { adjusterClient, type FirmState, firmClient, poller } from '../chaos/clients.ts';
import { type ApiProcess, launchApiProcess, waitUntilHealthy } from '../cluster/api-process.ts';
import { openPostgresServers } from '../cluster/postgres-server.ts';
import { startProxy } from '../cluster/proxy.ts';
import { runSvc } from '../cluster/svc.ts';
import { seededRandom } from '../generate/random.ts';
import { build } from '../services/build.ts';
import { openOperator } from '../services/operator.ts';
import { createFirm, drillEnvironment, rehearse } from './load.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIRST_SCHEMA = 'packages/adapter-postgres/src/schema/migrations/0001-first-schema.ts';
const SENDERS = 3;
const run = promisify(execFile);
const inRoot = async (command: string, args: readonly string[], cwd = ROOT): Promise<string> =>
  (await run(command, args, { cwd, maxBuffer: 2 ** 26 })).stdout.trim();

/**
 * The last release, or a given commit, and this checkout serve one database at the same time.
 *
 * @returns how many responses were 500 and above or did not arrive and jobs of the old release failed, and what the checker found.
 */
export function runUpgrade({
  from,
  seconds,
  say,
}: {
  readonly from?: string | undefined;
  /** How long the load runs with the old release, with both, and with the new one. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}) {
  return rehearse(say, async (note, stops) => {
    const ref = from ?? (await lastRelease());
    if ((await inRoot('git', ['diff', '--name-only', ref, '--', FIRST_SCHEMA])) !== '')
      throw new Error(
        `${ref} has another first schema, whose database is refused: name a later commit with --from.`,
      );
    const old = await checkOut(ref, stops);
    await build();
    note(`${await describe(ref)} and ${await describe('HEAD')} are built`);
    const servers = await openPostgresServers(say);
    stops.push(() => servers.remove());
    const postgres = await servers.server('primary');
    await postgres.start();
    const databaseUrl = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
    const env = { ...drillEnvironment, DATABASE_URL: databaseUrl };
    const launch = async (root: string, port: number): Promise<ApiProcess> => {
      const launched = await launchApiProcess({ env, port, args: [join(root, 'apps/api/dist/server.js')] });
      stops.push(() => launched.kill());
      return launched;
    };
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
    const olds = [await launch(old, ports[0]), await launch(old, ports[1])];
    await Promise.all(olds.map(waitUntilHealthy));
    const proxy = await startProxy({ targets: ports.map((port) => `http://127.0.0.1:${port}`) });
    stops.push(() => proxy.close());

    // With the old release's commands: the new ones would migrate the database.
    const svc = (...args: readonly string[]) => runSvc(args, env, join(old, 'apps/api/dist/svc.js'));
    const { id: firmId, secret } = await createFirm(svc, 'live');
    // The reminders of its offers are queued for an hour later.
    await svc('firm', 'set-offer-wait', firmId, '--hours', '1');
    const svcId = 'SVC-upgrade';
    const profile = ['--first-name', 'Jean', '--last-name', 'Delacroix', '--email', 'jean@example.com'];
    await svc('adjuster', 'create', '--svc-id', svcId, ...profile);
    await svc('member', 'add', '--firm', firmId, '--svc-id', svcId);
    const { token } = await svc('adjuster', 'session', svcId);
    note(`two processes of ${ref} serve a new database`);

    let isOn = true;
    const recorder = createRecorder();
    const random = seededRandom('upgrade');
    const tag = tagOf(1);
    const context = (actor: string, ofFirm: string | null, credential: string) => {
      const own = random.fork(actor);
      const caller = createCaller({
        recorder,
        urls: [proxy.url],
        random: own,
        firm: ofFirm,
        actor,
        token: credential,
      });
      stops.push(() => caller.close());
      return { caller, random: own, isOn: () => isOn };
    };
    const adjuster = { svcId, leaves: false };
    const state: FirmState = {
      tag,
      adjusters: [adjuster],
      claims: new Map(),
      sent: [],
      trials: [],
      others: [],
    };
    const feed = poller(context('poller', tag, secret));
    const clients = [
      ...Array.from({ length: SENDERS }, (_, n) =>
        firmClient(context(`sender${n}`, tag, secret), state, `sender${n}`),
      ),
      adjusterClient(context(svcId, null, token), adjuster, []),
      (async () => {
        while (isOn) {
          await feed.poll();
          await sleep(100);
        }
      })(),
    ];
    const working = Promise.all(clients);
    working.catch(() => {}); // awaited below
    const underLoad = async (what: string): Promise<void> => {
      await sleep(seconds * 1000);
      note(`${what}: ${recorder.calls.length} requests`);
    };
    await underLoad('under load');
    const before = await postgres.query('SELECT id FROM schema_migrations');
    const [queued] = await postgres.query('SELECT count(*)::int AS count, max(id) AS last FROM jobs');
    const news = [await launch(ROOT, ports[2]), await launch(ROOT, ports[3])];
    await Promise.all(news.map(waitUntilHealthy));
    const after = await postgres.query('SELECT id FROM schema_migrations');
    note(
      `two processes of the new release are healthy; ${after.length - before.length} migrations were applied`,
    );
    await underLoad('both releases side by side');
    for (const one of olds) await one.shutDown();
    note('the old processes have ended (SIGTERM, one after the other)');
    await postgres.query(`UPDATE jobs SET run_at = now() WHERE id <= ${queued.last}`);
    await underLoad('the new release alone');
    isOn = false;
    await working;
    while (await feed.poll());
    const jobsLeft = async (condition: string): Promise<number> =>
      (await postgres.query(`SELECT FROM jobs WHERE id <= ${queued.last} AND ${condition}`)).length;
    while ((await jobsLeft('failed_at IS NULL')) > 0) await sleep(100);
    const failedJobs = await jobsLeft('failed_at IS NOT NULL');
    note(`${queued.count} jobs that the old release had queued have run, ${failedJobs} failed`);

    const operator = await openOperator(databaseUrl);
    stops.push(() => operator.close());
    const failures = recorder.calls.filter(({ status }) => status === null || status >= 500);
    const { violations, counts } = checkHistory({
      seed: 'upgrade',
      processes: olds.length + news.length,
      calls: recorder.calls,
      faults: [],
      localBuckets: [],
      final: new Map([[tag, await listAll(proxy.url, secret)]]),
      audit: new Map([[tag, await operator.audit(firmId)]]),
      limited: [],
      desks: new Map(),
      autoResponding: new Set(),
    });
    note(`${recorder.calls.length} requests, ${failures.length} failed`);
    for (const { operation, status, code } of failures)
      say(`           ${operation}: ${status ?? 'no response'} ${code ?? ''}`);
    note(
      `${counts.claims} claims, ${counts.polls} polls and the audit chain with ${counts.actions} actions judged: ${violations.length} violations`,
    );
    const texts = violations.map(({ rule, description }) => `${rule}: ${description}`);
    for (const text of texts) say(`           ${text}`);
    return { failed: failures.length + failedJobs, violations: texts };
  });
}

async function lastRelease(): Promise<string> {
  const tag = await inRoot('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*']).catch(() => null);
  if (tag === null) throw new Error('No tag of a release is reachable from here: name a commit with --from.');
  return tag;
}

const describe = (ref: string): Promise<string> =>
  inRoot('git', ['log', '-1', '--format=%h (%s)', `${ref}^{commit}`]);

/** A built copy of the commit, in a temporary folder. */
async function checkOut(ref: string, stops: (() => unknown)[]): Promise<string> {
  const parent = await createTemporaryFolder(SELF);
  stops.push(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, 'release');
  await inRoot('git', ['worktree', 'add', '--detach', folder, ref]);
  stops.push(() => inRoot('git', ['worktree', 'remove', '--force', folder]));
  await inRoot('npx', ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'], folder);
  await inRoot('npx', ['pnpm', '-s', 'build'], folder);
  return folder;
}
