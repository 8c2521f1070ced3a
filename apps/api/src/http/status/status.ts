export type PartName = 'api' | 'database' | 'redis';

export interface PartStatus {
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
}

export interface StatusMonitor {
  /** Checks all parts now. */
  check(): Promise<ServiceStatus>;
}

/** Remembers since when each part is up or down. */
export function createStatusMonitor({
  checks,
  now,
}: {
  /** Resolves to whether the part is up; rejects if it is not. */
  readonly checks: Readonly<Partial<Record<PartName, () => Promise<boolean>>>>;
  readonly now: () => number;
}): StatusMonitor {
  const parts = new Map<PartName, PartStatus>();
  let overall: Pick<ServiceStatus, 'status' | 'since'> | undefined;
  return {
    async check() {
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
    },
  };
}

function statusOf(parts: readonly PartStatus[]): ServiceStatus['status'] {
  const down = parts.filter(({ up }) => !up);
  if (down.length === 0) return 'up';
  return down.every(({ name }) => name === 'redis') ? 'degraded' : 'down';
}
