import { spawn } from 'node:child_process';
import { accessSync, constants, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the first of these commands that is there. Servers often lie in sbin, off a user's PATH. */
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
        // Not here.
      }
    }
  }
  return undefined;
}

/** Why the package could not be installed; undefined when it was. */
export async function installDebianPackage(
  name: string,
  log: (line: string) => void,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'not running as root';
  const apt = findCommand('apt-get');
  if (!apt) return 'there is no apt-get';
  log(`Installing ${name} with apt-get …`);
  // Debian starts a server as soon as it is installed. This one is wanted for its program only.
  const policy = '/usr/sbin/policy-rc.d';
  let ownPolicy = false;
  try {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
    ownPolicy = true;
  } catch {
    // There is a policy already, or /usr is read-only and the installation will say so.
  }
  try {
    const install = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name];
    // A machine that has just been set up knows no packages yet, and one that is older knows outdated ones.
    const first = await run(apt, install);
    if (first === undefined) return undefined;
    await run(apt, ['update']);
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
      const said = output.trim().split('\n').slice(-5).join('\n');
      resolve(code === 0 ? undefined : `apt-get ${args[0]} failed with exit code ${code}: ${said}`);
    });
  });
}
