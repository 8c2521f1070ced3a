import { spawnSync } from 'node:child_process';
import { findCommand, installDebianPackage } from './debian-package.ts';

/** Runs Prometheus' promtool, which is installed if necessary. Returns its output, empty when it found nothing. */
export async function runPromtool(args: readonly string[], input = ''): Promise<string> {
  const command = findCommand('promtool') ?? (await install());
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  return status === 0 && stderr === '' ? '' : `${stdout}${stderr}`.trim() || `exit code ${status}`;
}

async function install(): Promise<string> {
  const error = await installDebianPackage('prometheus', () => {});
  const command = findCommand('promtool');
  if (command) return command;
  throw new Error(`These tests need promtool, and it could not be installed: ${error}.`);
}
