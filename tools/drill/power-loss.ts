import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, verifyReceipt } from '@svc/client';
import { createTemporaryFolder, unprivilegedAccount } from '@svc/embedded-postgres';
import { launchApiProcess, waitUntilHealthy } from '../cluster/api-process.ts';
import { runSvc } from '../cluster/svc.ts';
import { build } from '../services/build.ts';
import { compare, createFirm, drillEnvironment, rehearse, startLoad, statusCounts } from './load.ts';

const MOUNT_TIMEOUT_MS = 10_000;

/**
 * Under load, service and embedded database are killed, LazyFS (https://github.com/dsrhaslab/lazyfs) drops what was not
 * synced, and the service is started again.
 * @returns how many confirmed claims or answers are gone, and how many receipts the keys published afterwards do not verify.
 */
export function runPowerLoss({
  lazyfs,
  rounds,
  seconds,
  say,
}: {
  readonly lazyfs: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}) {
  return rehearse(say, async (note, stops) => {
    await build();
    const folder = await createTemporaryFolder(unprivilegedAccount(say));
    stops.push(() => rmSync(folder, { recursive: true, force: true }));
    const disk = await mountLossyDisk(lazyfs, folder);
    stops.push(() => disk.unmount());
    const env = { ...drillEnvironment, DATA_DIR: join(disk.path, 'data') };
    const service = await launchApiProcess({ env });
    stops.push(() => service.kill());
    await waitUntilHealthy(service);
    const { secret, test_accounts } = await createFirm((...args) => runSvc(args, env), 'test');
    const accounts: { behavior: string; svc_id: string }[] = test_accounts;
    const manual = accounts.find(({ behavior }) => behavior === 'manual')?.svc_id ?? '';
    const load = startLoad([service.url], { test: secret, account: { manual } });
    const client = createClient({ baseUrl: service.url, apiKey: secret });
    const receipts: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await sleep(seconds * 1000);
      const [first] = load.acknowledged.values();
      if (first !== undefined) receipts.push((await client.claims.receipt(first.id)).receipt);
      const witness = join(disk.path, `unsynced-${round}`);
      writeFileSync(witness, 'not synced');
      const confirmed = load.acknowledged.size;
      await service.kill();
      await killPostgres(join(env.DATA_DIR, 'postgres', 'data'));
      await disk.loseUnsynced();
      if (existsSync(witness) && readFileSync(witness, 'utf8') === 'not synced')
        throw new Error('The file system has kept what was not synced, so the drill would show nothing.');
      service.start();
      await waitUntilHealthy(service);
      note(`power loss ${round}: ${confirmed} claims confirmed before; healthy again`);
    }
    await sleep(seconds * 1000);
    const result = await load.stop();
    const stored = new Map<string, string>();
    for await (const { id, assignment } of client.claims.list({ limit: 200 }))
      stored.set(id, assignment.status);
    const { lost, missed } = compare(result, stored);
    const jwks = `${service.url}/.well-known/jwks.json`;
    const verified = await Promise.allSettled(receipts.map((receipt) => verifyReceipt(receipt, { jwks })));
    const unverified = verified.filter(({ status }) => status === 'rejected').length;
    note(`responses: ${statusCounts(result)}`);
    note(
      `${result.acknowledged.size} confirmed claims, ${lost} lost, ${missed} missed by the poller; ${unverified} of ${receipts.length} receipts not verified`,
    );
    return { lost: lost + missed, unverified };
  });
}

async function mountLossyDisk(lazyfs: string, folder: string) {
  const [root, path] = ['stored', 'disk'].map((name) => join(folder, name)) as [string, string];
  for (const each of [root, path]) mkdirSync(each);
  const fifo = join(folder, 'faults');
  const config = join(folder, 'lazyfs.toml');
  writeFileSync(
    config,
    `[faults]\nfifo_path="${fifo}"\n[cache]\napply_eviction=false\n[cache.simple]\ncustom_size="1gb"\nblocks_per_page=1\n[filesystem]\nlog_all_operations=false\nlogfile=""\n`,
  );
  const options = ['-o', 'allow_other', '-o', 'modules=subdir', '-o', `subdir=${root}`, '-f'];
  const mounted = spawn(lazyfs, [path, '--config-path', config, ...options], { stdio: 'ignore' });
  const failed = new Promise<never>((_, reject) => {
    mounted.once('error', reject);
    mounted.once('exit', (code) => reject(new Error(`${lazyfs} ended with ${code}.`)));
  });
  failed.catch(() => {});
  await Promise.race([failed, untilMounted(path)]);
  return {
    path,
    async loseUnsynced() {
      await Promise.race([failed, writing(fifo)]);
      // It reports nothing: the next operation waits for it.
      await sleep(500);
    },
    async unmount() {
      await ended(spawn('umount', [path], { stdio: 'ignore' }));
      if (mounted.exitCode === null) await ended(mounted);
    },
  };
}

const writing = (fifo: string): Promise<void> =>
  ended(spawn('sh', ['-c', 'echo lazyfs::clear-cache > "$0"', fifo], { stdio: 'ignore' }));

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once('close', () => resolve()));

async function untilMounted(path: string): Promise<void> {
  const until = performance.now() + MOUNT_TIMEOUT_MS;
  while (!readFileSync('/proc/mounts', 'utf8').includes(` ${path} `)) {
    if (performance.now() > until) throw new Error(`${path} was not mounted within ${MOUNT_TIMEOUT_MS} ms.`);
    await sleep(50);
  }
}

/** Ends the server without a chance to write, and waits until no process works in its folder. */
async function killPostgres(data: string): Promise<void> {
  process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
  const worksThere = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === data;
    } catch {
      return false;
    }
  };
  while (readdirSync('/proc').some(worksThere)) await sleep(50);
}
