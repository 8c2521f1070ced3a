import { spawnSync } from 'node:child_process';
import { requireCommand } from './debian-package.ts';

/** Runs Prometheus' promtool, which is installed if necessary. Returns its output, empty when it found nothing. */
export async function runPromtool(args: readonly string[], input = ''): Promise<string> {
  const command = await requireCommand('promtool', { packageName: 'prometheus' });
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  return status === 0 && stderr === '' ? '' : `${stdout}${stderr}`.trim() || `exit code ${status}`;
}
