import { describe, expect, it } from '@jest/globals';
import type { Claim } from '@svc/client';
import pc from 'picocolors';
import { progressLine } from '../src/send/progress.ts';
import { liveLines } from '../src/watch.ts';
import {
  claimJson,
  claims,
  idOf,
  jsonLines,
  jsonResponse,
  problemResponse,
  type Service,
} from './environment.ts';

const plain = pc.createColors(false);
const claim = (n: number, status: string, more: Record<string, unknown> = {}): Claim =>
  claimJson(
    {
      id: idOf(n),
      external_id: `EXT-${n}`,
      updated_at: new Date(Date.UTC(2026, 7, 29, 14, 0, n)).toISOString(),
    },
    { status, ...more },
  ) as unknown as Claim;

/** Returns the responses in order, then simulates Ctrl-C. */
function untilAnswered(pages: readonly (() => Response)[]) {
  const controller = new AbortController();
  const since: (string | undefined)[] = [];
  const service: Service = ({ query }) => {
    since.push(query.updated_since);
    const reply = pages[since.length - 1];
    if (since.length >= pages.length) setImmediate(() => controller.abort());
    return reply?.() ?? jsonResponse(200, { data: [], next_cursor: null });
  };
  return { service, since, signal: controller.signal };
}

const page =
  (...data: readonly Claim[]) =>
  () =>
    jsonResponse(200, { data, next_cursor: null });
const accepted = claim(1, 'accepted');
const rejected = claim(2, 'rejected', { rejection_reason: 'Too far\taway' });

describe('claims watch', () => {
  it('prints a line with the columns of a list for each change in a pipe, and exits with 0 when it is stopped', async () => {
    const { code, stdout, stderr } = await claims(['watch'], untilAnswered([page(accepted, rejected)]));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'updated_at\tstatus\texternal_id\tclaim_number\tadjuster\tid\treason',
      `2026-08-29T14:00:01.000Z\taccepted\tEXT-1\tFL26-0093185\tSVC-7F3K-Delacroix\t${idOf(1)}\t-`,
      `2026-08-29T14:00:02.000Z\trejected\tEXT-2\tFL26-0093185\tSVC-7F3K-Delacroix\t${idOf(2)}\tToo far\ufffdaway`,
      '',
    ]);
  });

  it('prints the claims with --json', async () => {
    const { stdout } = await claims(['watch', '--json'], untilAnswered([page(accepted, rejected)]));
    expect(jsonLines(stdout)).toEqual([accepted, rejected]);
  });

  it('starts 24 hours back by default', async () => {
    const [day, hour, all] = await Promise.all(
      [[], ['--since', '1h'], ['--since', 'all']].map(async (args) => {
        const given = untilAnswered([page()]);
        await claims(['watch', ...args], given);
        return given.since[0];
      }),
    );
    expect([day, hour, all]).toEqual(['2026-08-28T15:00:00.000Z', '2026-08-29T14:00:00.000Z', undefined]);
  });

  it('exits with an error when the key is rejected', async () => {
    const { code, stderr } = await claims(
      ['watch'],
      untilAnswered([() => problemResponse(401, 'invalid_key')]),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('invalid_key');
  });

  it('draws a table on a terminal, hides the cursor, and restores it', async () => {
    const { stdout } = await claims(['watch'], {
      ...untilAnswered([page(accepted, rejected)]),
      terminal: true,
    });
    expect(stdout.startsWith('\u001b[?25l')).toBe(true);
    expect(stdout.endsWith('\u001b[?25h')).toBe(true);
    expect(stdout).toContain('1 accepted, 1 rejected');
    expect(stdout).toContain('polled at 15:00:00 UTC');
  });
});

describe('the live table', () => {
  const state = { polledAt: null, error: null, columns: 200, rows: 10 };

  it('shows counts per status and the latest changes', () => {
    const many = Array.from({ length: 30 }, (_, i) =>
      claim(i, i % 3 === 0 ? 'accepted' : 'pending_acceptance'),
    );
    const lines = liveLines(many, state, plain);
    expect(lines[0]).toBe('10 accepted, 20 pending_acceptance; showing the latest 5');
    expect(lines).toHaveLength(8);
    expect(lines.slice(2, 7).map((line) => /EXT-\d+/.exec(line)?.[0])).toEqual(
      [25, 26, 27, 28, 29].map((n) => `EXT-${n}`),
    );
  });

  it.each([
    [80, 'status external_id adjuster reason'],
    [110, 'updated_at status external_id adjuster reason'],
    [200, 'updated_at status external_id claim_number adjuster id reason'],
  ])('at %d columns has %s', (columns, names) => {
    const waiting = claim(1, 'pending_acceptance');
    const lines = liveLines(
      [waiting, claim(2, 'rejected', { rejection_reason: 'Too far. '.repeat(30) })],
      { ...state, columns },
      plain,
    );
    expect(lines[1]?.split(/ +/).join(' ')).toBe(names);
    expect(lines[3]).toMatch(/rejected .* EXT-2 .* SVC-7F3K-Delacroix .*Too far\. /);
  });

  it('never exceeds the size of the screen', () => {
    const long = claim(1, 'rejected', { rejection_reason: 'x'.repeat(500) });
    for (const columns of [20, 80, 200]) {
      for (const rows of [6, 24]) {
        const claims = Array.from({ length: 50 }, (_, i) => ({ ...long, id: idOf(i) }));
        const lines = liveLines(claims, { ...state, columns, rows, error: 'y'.repeat(300) }, plain);
        expect(lines.length).toBeLessThan(rows);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      }
    }
  });

  it('colors statuses and shows an error', () => {
    const painted = liveLines(
      [accepted],
      { ...state, polledAt: 0, error: 'no response' },
      pc.createColors(true),
    );
    expect(painted[2]).toContain('\u001b[32maccepted\u001b[39m');
    expect(painted.at(-1)).toContain('polled at 00:00:00 UTC; no response');
  });

  it('says that there are no changes yet', () => {
    expect(liveLines([], state, plain)).toEqual(['no changes yet', 'not polled yet']);
  });
});

describe('the progress bar', () => {
  it('fills as claims are done', () => {
    const bar = (done: number) => progressLine({ done, total: 100, failed: 0 }, 80);
    expect([0, 25, 100].map((done) => bar(done).replaceAll('░', '').length)).toEqual([9, 19, 49]);
  });

  it('fits any terminal', () => {
    for (let columns = 1; columns < 120; columns++) {
      const line = progressLine(
        { done: 3, total: 1000, failed: 2, note: 'rate_limited, retrying in 2 s' },
        columns,
      );
      expect(line.length).toBeLessThan(columns);
    }
  });
});
