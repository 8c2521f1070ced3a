import { spawn } from 'node:child_process';
import { accessSync, constants, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the first of these commands that exists, also in sbin, which is often not on a user's PATH. */
export function findCommand(...names: string[]): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/sbin',
    '/usr/sbin',
    '/usr/local/bin',
  ];
  for (const name of names) {
    for (const folder of folders) {
      try {
        const file = join(folder || '.', name);
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Try the next folder.
      }
    }
  }
  return undefined;
}

/** The path of a command that tests need, from Debian's package of this name if it is missing. */
export async function requireCommand(
  name: string,
  { packageName = name, log = () => {} }: { packageName?: string; log?: (line: string) => void } = {},
): Promise<string> {
  const found = findCommand(name);
  if (found) return found;
  const error = await installDebianPackage(packageName, log);
  const installed = findCommand(name);
  if (installed) return installed;
  const why = error ?? 'the package contains no such command';
  throw new Error(
    `${name} is required: it is not on the PATH, and apt-get could not install ${packageName} (${why}).`,
  );
}

/** Returns why the package could not be installed, or undefined on success. */
export async function installDebianPackage(
  name: string,
  log: (line: string) => void,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'not running as root';
  const apt = findCommand('apt-get');
  if (!apt) return 'apt-get not found';
  log(`Installing ${name} with apt-get …`);
  // Keeps Debian from starting the server after installing it.
  const policy = '/usr/sbin/policy-rc.d';
  let ownPolicy = false;
  try {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
    ownPolicy = true;
  } catch {
    // A policy exists already, or /usr is read-only and the installation fails with its own message.
  }
  try {
    const settings = ['DPkg::Lock::Timeout=120', 'Acquire::http::Timeout=10', 'Acquire::Retries=0'];
    const options = settings.flatMap((setting) => ['-o', setting]);
    const install = ['install', '-y', '--no-install-recommends', ...options, name];
    // The package index may be empty or outdated.
    const first = await run(apt, install);
    if (first === undefined) return undefined;
    await run(apt, ['update', ...options]);
    return await run(apt, install);
  } finally {
    if (ownPolicy) rmSync(policy, { force: true });
  }
}

function run(command: string, args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      const lastLines = output.trim().split('\n').slice(-5).join('\n');
      resolve(code === 0 ? undefined : `apt-get ${args[0]} failed with exit code ${code}: ${lastLines}`);
    });
  });
}
