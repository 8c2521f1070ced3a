import type { Ids } from '@svc/application';

/** Sequential UUIDs, unique across series. */
export function createCountingIds(series = 0): Ids {
  let count = 0;
  return {
    next() {
      count += 1;
      return `${hex(series, 8)}-0000-7000-8000-${hex(count, 12)}`;
    },
  };
}

const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
