import type { AuditLink } from '@svc/application';
import { codePointLength, hasUnusableCharacter, isBlank, LIMITS, updateProfileBody } from '@svc/contract';
import { DAY, HOUR, MINUTE, SECOND } from '@svc/domain';
import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Milliseconds from `90d`, `24h`, `30m` or `45s`. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    throw new InvalidArgumentError('Allowed: a whole number and a unit, such as 90d, 24h, 30m or 45s.');
  }
  return Number(amount) * (UNITS[unit] ?? 0);
}

export function parseLifetime(text: string): number {
  const lifetimeMs = parseDuration(text);
  if (lifetimeMs === 0) throw new InvalidArgumentError('Allowed: a duration above zero, such as 90d.');
  return lifetimeMs;
}

/** Milliseconds since the epoch, from a date-time with an offset, as RFC 3339 or PostgreSQL writes it. */
export function parseTime(text: string): number {
  const [, date, time, offset = ''] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::\d\d)?)$/.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}${/^.\d\d$/.test(offset) ? `${offset}:00` : offset}`);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Allowed: a date-time such as 2026-08-29T00:00:00Z.');
  return at;
}

export const parseIntegerWithin =
  (bounds: Bounds) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^(0|[1-9]\d*)$/.test(text) || value < bounds.min || value > bounds.max)
      throw new InvalidArgumentError(`Allowed: a whole number from ${bounds.min} to ${bounds.max}.`);
    return value;
  };

export const parsePositiveInteger = parseIntegerWithin({ min: 1, max: 9_999_999 });

/** Number and hash of a row of the audit trail, such as `1042:9f86d0…`. */
export function parseAuditLink(text: string): AuditLink {
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('Allowed: number and hash of a row, such as 1042:9f86….');
  return { seq: Number(seq), hash };
}

export function parseUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('Allowed: a UUID.');
  return text.toLowerCase();
}

export const parseText =
  (bounds: Bounds) =>
  (text: string): string => {
    if (!isLine(text, bounds)) throw new InvalidArgumentError(`Allowed: ${allowedLine(bounds)}.`);
    return text;
  };

export const OPERATOR_NAME = { min: 1, max: 100 };

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Whether the text can be read on one line. */
export function isLine(text: string, { min, max }: Bounds): boolean {
  const length = codePointLength(text);
  const isUnreadable = hasUnusableCharacter(text) || isBlank(text) || /\p{Cc}/u.test(text);
  return length >= min && length <= max && !isUnreadable;
}

export const allowedLine = ({ min, max }: Bounds): string =>
  `${min} to ${max} characters, at least one of them visible, without control characters`;

/** SVCIDs appear in paths and cursors, where escaping triples each byte: hence the limit in bytes. */
export function parseNewSvcId(text: string): string {
  // HTTP clients and proxies remove such segments from a path, escaped or not.
  if (text === '.' || text === '..')
    throw new InvalidArgumentError('Allowed: an SVCID other than "." and "..".');
  const fits = !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= 256;
  if (!fits || text.trim() !== text)
    throw new InvalidArgumentError('Allowed: 1 to 128 printable characters, at most 256 bytes.');
  return parseText(LIMITS.svcId)(text);
}

export function parseEmail(text: string): string {
  if (!updateProfileBody.shape.email.safeParse(text).success)
    throw new InvalidArgumentError('Allowed: an e-mail address.');
  return text;
}

export function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Allowed: true, false.');
  return text === 'true';
}
