import { describe, expect, it, jest } from '@jest/globals';
import type { Claim } from '@svc/client';
import { progressLine } from '../src/send/progress.ts';
import {
  claimJson,
  claims,
  idOf,
  jsonLines,
  jsonResponse,
  page,
  problemResponse,
  untilAnswered,
} from './environment.ts';

const claim = (n: number, status: string, more: Record<string, unknown> = {}): Claim =>
  claimJson(
    {
      id: idOf(n),
      external_id: `EXT-${n}`,
      updated_at: new Date(Date.UTC(2026, 7, 29, 14, 0, n)).toISOString(),
    },
    { status, ...more },
  ) as unknown as Claim;

const accepted = claim(1, 'accepted');
const rejected = claim(2, 'rejected', { rejection_reason: 'Too far\taway' });

describe('claims watch', () => {
  it('prints a line for each change, and exits with 0 when it is stopped', async () => {
    const { code, stdout, stderr } = await claims(['watch'], untilAnswered([page(accepted, rejected)]));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'updated_at\tstatus\texternal_id\tclaim_number\tadjuster\tid\treason',
      `2026-08-29T14:00:01.000Z\taccepted\tEXT-1\tFL26-0093185\tSVC-7F3K-Delacroix\t${idOf(1)}\t-`,
      `2026-08-29T14:00:02.000Z\trejected\tEXT-2\tFL26-0093185\tSVC-7F3K-Delacroix\t${idOf(2)}\tToo far\ufffdaway`,
      '',
    ]);
  });

  it('prints the claims with --json, without control characters', async () => {
    const hostile = claim(2, 'rejected', { rejection_reason: 'A\u007f\u009b\u009f\u00a0' });
    const first = () => jsonResponse(200, { data: [accepted, hostile], next_cursor: 'c' });
    const expired = () => problemResponse(422, 'c');
    const { stdout, stderr } = await claims(['watch', '--json'], untilAnswered([first, expired]));
    expect([stderr, jsonLines(stdout), stdout.match(/A.*\u00a0/g)]).toEqual([
      ...['claims: c: It is c.; watching continues\n', [accepted, hostile]],
      ['A\\u007f\\u009b\\u009f\u00a0'],
    ]);
  });

  it('shows test claims to a live key only when that is asked for', async () => {
    const env = { CLAIMS_URL: 'http://service.test', CLAIMS_API_KEY: 'svc_live_k' };
    const live = claim(3, 'accepted', {});
    const data = () => page(accepted, { ...live, test: false });
    const ids = async (...args: string[]) => {
      const { stdout } = await claims(['watch', '--json', ...args], { env, ...untilAnswered([data()]) });
      return jsonLines(stdout).map(({ id }) => id);
    };
    expect([await ids(), await ids('--include-test')]).toEqual([[idOf(3)], [idOf(1), idOf(3)]]);
  });

  it('starts 24 hours back by default, or as far back as is said', async () => {
    const dateTimes = ['2026-08-29T14:30:00.5+02:00', '2026-08-29T14:30:00Z'];
    const times = [undefined, '45s', '5m', '1h', '7d', ...dateTimes, 'all'];
    const found = await Promise.all(
      times.map(async (time) => {
        const given = untilAnswered([page()]);
        await claims(['watch', ...(time === undefined ? [] : ['--since', time])], given);
        return given.requests[0]?.query.updated_since;
      }),
    );
    expect(found).toEqual([
      ...['2026-08-28T15:00:00.000Z', '2026-08-29T14:59:15.000Z', '2026-08-29T14:55:00.000Z'],
      ...['2026-08-29T14:00:00.000Z', '2026-08-22T15:00:00.000Z', '2026-08-29T12:30:00.500Z'],
      ...['2026-08-29T14:30:00.000Z', undefined],
    ]);
  });

  it('says that a poll has failed, and continues', async () => {
    const first = () => jsonResponse(200, { data: [accepted], next_cursor: 'c' });
    const expired = () => problemResponse(422, 'validation_failed', { detail: 'Late\u001b.' });
    // Nothing is said of what the client itself repeats.
    const limited = () => jsonResponse(429, { code: 'rate_limited' }, { 'Retry-After': '0' });
    const given = untilAnswered([limited, first, expired]);
    const { code, stdout, stderr } = await claims(['watch'], given);
    expect([code, stdout]).toEqual([0, expect.stringContaining('EXT-1')]);
    expect(stderr).toBe('claims: validation_failed: Late\ufffd.; watching continues\n');
  });

  it('waits a minute between two polls, or as long as is said', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const waits = async (...args: string[]) => {
      timers.mockClear();
      await claims(['watch', ...args], untilAnswered([page(accepted)]));
      return timers.mock.calls.map(([, ms]) => ms);
    };
    const found = [await waits(), await waits('--interval', '1s'), await waits('--interval', '2h')];
    timers.mockRestore();
    expect(found).toEqual([60_000, 1000, 7_200_000].map((ms) => expect.arrayContaining([ms])));
  });

  it('exits with an error when the key is rejected', async () => {
    const { code, stderr } = await claims(
      ['watch'],
      untilAnswered([() => problemResponse(401, 'invalid_key')]),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('invalid_key');
  });
});

describe('the progress bar', () => {
  it('fills as claims are done', () => {
    const bar = (done: number) => progressLine({ done, total: 100, failed: 0 }, 80);
    expect([0, 25, 100].map((done) => bar(done).replaceAll('░', '').length)).toEqual([9, 19, 49]);
  });

  it('fits any terminal', () => {
    const narrow = [5, 6, 12, 13].map((columns) => progressLine({ done: 3, total: 10, failed: 0 }, columns));
    expect(narrow).toEqual([' 3/1', ' 3/10', ' 3/10', '█░░░░   3/10']);
    for (let columns = 1; columns < 120; columns++) {
      const line = progressLine(
        { done: 3, total: 1000, failed: 2, note: 'rate_limited, retrying in 2 s' },
        columns,
      );
      expect(line.length).toBeLessThan(columns);
    }
  });
});
