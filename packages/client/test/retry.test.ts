import { describe, expect, it } from '@jest/globals';
import { backoffMs, EDGE_WAIT_MS, isRetryable, parseRetryAfter, requestedWaitMs } from '../src/retry.ts';
import { START } from './test-client.ts';

describe('the wait between attempts', () => {
  it('has a maximum for any number of attempts', () => {
    const waits = [0, 5].map((baseMs) => backoffMs(100_000, { baseMs, maxMs: 7 }, () => 0.5));
    expect(waits).toEqual([0, 3.5]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['1', 1000],
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['Sat, 29 Aug 2026 14:00:30 GMT', 30_000],
    ['Sat, 29 Aug 2026 13:59:00 GMT', 0],
    ['5, 5', 5000],
    ['5,7', 7000],
    ['7,5', 7000],
    ['2, Sat, 29 Aug 2026 14:00:30 GMT', 30_000],
    ['5, soon', 5000],
    [',', null],
    [null, null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['soon', null],
    ['2026-08-29', null],
    ['Sat, 99 Aug 2026 14:00:30 GMT', null],
  ])('%j requests %j milliseconds', (value, expected) => {
    expect(parseRetryAfter(value, START)).toBe(expected);
  });

  it.each([
    { status: 429, isJson: true, retryAfter: '3', expected: 3000 },
    { status: 503, isJson: true, retryAfter: '2', expected: 2000 },
    { status: 503, isJson: false, retryAfter: '2', expected: 2000 },
    { status: 503, isJson: false, retryAfter: null, expected: null },
    { status: 429, isJson: false, retryAfter: null, expected: EDGE_WAIT_MS },
    { status: 429, isJson: false, retryAfter: '5', expected: 5000 },
    { status: 429, isJson: false, retryAfter: 'soon', expected: EDGE_WAIT_MS },
    { status: 429, isJson: true, retryAfter: null, expected: null },
    { status: 500, isJson: true, retryAfter: '9', expected: 9000 },
    { status: 408, isJson: false, retryAfter: '1', expected: 1000 },
    { status: 409, isJson: true, retryAfter: '9', expected: null },
  ])(
    'on $status (JSON: $isJson, $retryAfter) asks for $expected ms',
    ({ status, isJson, retryAfter, expected }) => {
      expect(requestedWaitMs(status, isJson, retryAfter, START)).toBe(expected);
    },
  );

  it('is retried for 408, 425, 429 and every 5xx only', () => {
    const worth = Array.from({ length: 500 }, (_, i) => 100 + i).filter(isRetryable);
    expect(worth).toEqual([408, 425, 429, ...Array.from({ length: 100 }, (_, i) => 500 + i)]);
  });
});
