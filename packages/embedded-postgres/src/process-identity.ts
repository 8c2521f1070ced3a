import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, distinguishable from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the system's format; empty where it reports none. */
  readonly start: string;
}

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= identify(process.pid) ?? { pid: process.pid, start: '' };
  return own;
}

/** Undefined when there is no such process, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const start = startOf(pid);
  return start === undefined ? undefined : { pid, start };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const start = startOf(identity.pid);
  return start !== undefined && (start === identity.start || identity.start === '' || start === '');
}

/**
 * Undefined when there is no such process. A zombie counts as ended: in a container whose first process does
 * not reap, a killed server stays in the process table, and `kill -0` succeeds.
 */
function startOf(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the command in brackets and may contain spaces and brackets.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const state = fields[0];
      return state === 'Z' || state === 'X' ? undefined : (fields[19] ?? '');
    } catch {
      return undefined;
    }
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return '';
  }
}
