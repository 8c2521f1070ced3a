// `npx pnpm release:image`: builds docker/Dockerfile and runs the image as docker/compose.yaml does, with a read-only root,
// where neither Docker nor a registry of images can be reached. The base image is made of Debian and the npm packages of
// Node, and passed as NODE_IMAGE.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@svc/embedded-postgres';
import { Command } from 'commander';
import { isHealthy } from '../cluster/api-process.ts';
import { scriptArguments } from '../services/command.ts';
import { findCommand } from '../services/debian-package.ts';
import { startPostgres } from '../services/postgres.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOCKERFILE = join(ROOT, 'docker/Dockerfile');
const IMAGE = 'claim-assignment-service';
const NPM = 'npm@11.21.2';
const HEALTHY_WITHIN_MS = 120_000;

/** Arguments: the root, the user, the working directory, then the environment and the command. */
const READ_ONLY = `
  mount --bind "$1" "$1"; mount -t tmpfs tmpfs "$1/data"; chroot "$1" chown "$2:$2" /data
  mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -o remount,bind,ro "$1"
  root=$1 user=$2 folder=$3; shift 3; exec chroot --userspec="$user:$user" "$root" env -i -C "$folder" "$@"`;

const program = new Command('release:image')
  .description(
    'Builds the image of docker/Dockerfile with buildah, runs it with a read-only root on a temporary PostgreSQL, and\n' +
      'exits with 1 when it does not become healthy. Needs Linux, root, buildah and debootstrap; downloads Debian and\n' +
      'the packages of the lockfile. With Docker, `docker build` with the real base image is simpler.',
  )
  .option('--keep <folder>', 'keep the image in this folder, and use the one that is there')
  .parse(scriptArguments());

const { keep } = program.opts<{ keep?: string }>();

if (process.platform !== 'linux' || process.getuid?.() !== 0)
  program.error('release:image needs Linux and root.');
const missing = ['buildah', 'debootstrap'].filter((name) => findCommand(name) === undefined);
if (missing.length > 0)
  program.error(`release:image needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}`);

const folder = keep ?? mkdtempSync(join(tmpdir(), 'image-check-'));
const startedAt = performance.now();
/** Storage of this run. */
const STORAGE = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
const buildah = (...args: string[]): string => run('buildah', [...STORAGE, ...args]);

let container: ChildProcess | undefined;
try {
  if (!isBuilt()) buildImage();
  const root = buildah('mount', buildah('from', '--pull-never', `localhost/${IMAGE}`));
  const size = Number(run('du', ['-sb', root]).split('\t')[0]);
  const sizeOfService = Number(run('du', ['-sb', join(root, 'srv')]).split('\t')[0]);
  note(`${megabytes(size)} unpacked, ${megabytes(sizeOfService)} of it below /srv`);

  const postgres = await startPostgres();
  try {
    await check(root, postgres.url);
  } finally {
    container?.kill('SIGKILL');
    await postgres.stop();
  }
} finally {
  spawnSync('buildah', [...STORAGE, 'umount', '--all']);
  if (keep === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function isBuilt(): boolean {
  return buildah('images', '--format', '{{.Name}}').split('\n').includes(`localhost/${IMAGE}`);
}

function buildImage(): void {
  const nodeVersion = /^ARG NODE_IMAGE=node:([\d.]+)-slim@/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1];
  if (nodeVersion === undefined) throw new Error('docker/Dockerfile has no ARG NODE_IMAGE with a version.');
  const base = createBaseImage(nodeVersion);
  note(`base image with Node ${nodeVersion}`);
  buildah(
    // The other format has no HEALTHCHECK.
    ...['build', '--isolation', 'chroot', '--format', 'docker', '--pull-never'],
    ...['--ignorefile', `${DOCKERFILE}.dockerignore`, '--file', DOCKERFILE],
    ...['--build-arg', `NODE_IMAGE=${base}`, '--tag', IMAGE, ROOT],
  );
  note('image built');
}

/** Debian with Node, npm and the user `node`: what the official slim image of Node has. Returns the name of the image. */
function createBaseImage(nodeVersion: string): string {
  const base = join(folder, 'base');
  run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base]);
  const nodePackage = `node-linux-${process.arch}`;
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  writeFileSync(join(packages, 'package.json'), '{}');
  run('npm', ['install', '--prefix', packages, '--ignore-scripts', `${nodePackage}@${nodeVersion}`, NPM]);
  const modules = join(packages, 'node_modules');
  const local = join(base, 'usr/local');
  cpSync(join(modules, nodePackage, 'bin/node'), join(local, 'bin/node'));
  cpSync(join(modules, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  const user = ['--uid', '1000', '--user-group', '--create-home', '--shell', '/bin/bash', 'node'];
  run('chroot', [base, 'useradd', ...user]);

  // The settings with which this machine reaches its registry of packages.
  const environment = [`npm_config_registry=${run('npm', ['config', 'get', 'registry'])}`];
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities !== undefined) {
    cpSync(authorities, join(base, 'etc/ssl/extra-ca.crt'), { dereference: true });
    environment.push('NODE_EXTRA_CA_CERTS=/etc/ssl/extra-ca.crt');
  }
  const scratch = buildah('from', 'scratch');
  buildah('add', '--quiet', scratch, base, '/');
  buildah('config', ...environment.flatMap((setting) => ['--env', setting]), '--cmd', 'node', scratch);
  const name = `localhost/node:${nodeVersion}-slim`;
  buildah('commit', '--quiet', '--rm', scratch, name);
  rmSync(base, { recursive: true, force: true });
  return name;
}

/** Starts the image's command as its user, with only /data writable, and waits until it is healthy. */
async function check(root: string, databaseUrl: string): Promise<void> {
  const inspected = JSON.parse(buildah('inspect', '--type', 'image', `localhost/${IMAGE}`)) as {
    Docker: {
      config: {
        User: string;
        WorkingDir: string;
        Env: string[];
        Cmd: string[];
        Healthcheck: { Test: string[] };
      };
    };
  };
  const { User, WorkingDir, Env, Cmd, Healthcheck } = inspected.Docker.config;
  const port = await freePort();
  const environment = [...Env, `PORT=${port}`, `DATABASE_URL=${databaseUrl}`];
  const inContainer = (...command: string[]): string[] => [
    ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', READ_ONLY, 'sh', root, User, WorkingDir],
    ...[...environment, ...command],
  ];

  const written = spawnSync(
    'unshare',
    inContainer('sh', '-c', 'touch /data/a && ! touch /srv/a && ! touch /tmp/a'),
  );
  if (written.status !== 0)
    throw new Error(`The root is not read-only, or /data not writable: ${written.stderr}`);
  note(`root read-only, /data writable, user ${User}`);

  const output: Buffer[] = [];
  container = spawn('unshare', inContainer(...Cmd), { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [container.stdout, container.stderr])
    stream?.on('data', (chunk) => output.push(chunk));
  const deadline = performance.now() + HEALTHY_WITHIN_MS;
  while (!(await isHealthy(`http://127.0.0.1:${port}`))) {
    if (container.exitCode !== null || performance.now() > deadline)
      throw new Error(`The image does not become healthy:\n${Buffer.concat(output)}`);
    await sleep(250);
  }
  note('GET /v1/health is 200');

  for (const [name, command] of [
    ['health check of the image', Healthcheck.Test.slice(1)],
    ['svc firm list', ['svc', 'firm', 'list']],
  ] as const) {
    const { status, stdout, stderr } = spawnSync('unshare', inContainer(...command), { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`);
    note(`${name} succeeds`);
  }
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return stdout.trim();
  throw new Error(
    `${command} ${args.join(' ')} failed:\n${error?.message ?? `${stdout}${stderr}`.slice(-4000)}`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function note(text: string): void {
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${text}`);
}
