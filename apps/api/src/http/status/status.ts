import { DAY } from '@svc/domain';

export type PartName = 'api' | 'database' | 'redis';

interface PartStatus {
  readonly name: PartName;
  readonly up: boolean;
  /** Since when this process has observed it, in Unix time in milliseconds. */
  readonly since: number;
}

export interface ServiceStatus {
  /** `degraded`: every request works, some with less precision. `down`: requests fail. */
  readonly status: 'up' | 'degraded' | 'down';
  readonly since: number;
  readonly parts: readonly PartStatus[];
  /** The database was restored to an earlier time within the last 30 days. */
  readonly restore: Restore | null;
}

export interface Restore {
  /** Later changes are lost. */
  readonly to: number;
  /** When claims began to be delivered once more. */
  readonly at: number;
}

const RESTORE_SHOWN_MS = 30 * DAY;

export interface StatusMonitor {
  /** Checks all parts now. */
  observe(): Promise<Omit<ServiceStatus, 'restore'>>;
  /** Also reads whether the database was restored. */
  check(): Promise<ServiceStatus>;
}

/** Remembers since when each part is up or down. */
export function createStatusMonitor({
  checks,
  latestRestore,
  now,
}: {
  /** Resolves to whether the part is up; rejects if it is not. */
  readonly checks: Readonly<Partial<Record<PartName, () => Promise<boolean>>>>;
  readonly latestRestore: () => Promise<Restore | null>;
  readonly now: () => number;
}): StatusMonitor {
  const parts = new Map<PartName, PartStatus>();
  let restore: Restore | null = null;
  let overall: Pick<ServiceStatus, 'status' | 'since'> | undefined;
  const observe: StatusMonitor['observe'] = async () => {
    const names = Object.keys(checks) as PartName[];
    const found = await Promise.all(names.map((name) => checks[name]?.().catch(() => false) ?? false));
    const at = now();
    for (const [index, name] of names.entries()) {
      const up = found[index] === true;
      if (parts.get(name)?.up !== up) parts.set(name, { name, up, since: at });
    }
    const current = [...parts.values()];
    const status = statusOf(current);
    if (overall?.status !== status) overall = { status, since: at };
    return { ...overall, parts: current };
  };
  return {
    observe,
    async check() {
      const observed = await observe();
      if (parts.get('database')?.up === true) restore = await latestRestore().catch(() => restore);
      const isRecent = restore !== null && now() - restore.at < RESTORE_SHOWN_MS;
      return { ...observed, restore: isRecent ? restore : null };
    },
  };
}

function statusOf(parts: readonly PartStatus[]): ServiceStatus['status'] {
  const down = parts.filter(({ up }) => !up);
  if (down.length === 0) return 'up';
  return down.every(({ name }) => name === 'redis') ? 'degraded' : 'down';
}
