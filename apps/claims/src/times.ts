import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `90s`, `5m`, `24h` or `7d` to milliseconds. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    throw new InvalidArgumentError('Must be an integer and a unit, such as 45s, 5m, 24h or 7d.');
  }
  return Number(amount) * (UNITS[unit] ?? 0);
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Parses a time or a duration before now. */
export const since =
  (now: () => number) =>
  (text: string): Date => {
    if (/^\d+[smhd]$/.test(text)) return new Date(now() - duration(text));
    const at = DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(at)) return new Date(at);
    throw new InvalidArgumentError(
      'Must be a duration before now, such as 24h, or a time, such as 2026-08-29T14:30:00Z.',
    );
  };
