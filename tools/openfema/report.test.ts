import { describe, expect, test } from '@jest/globals';
import { exitCode, noClaims, type Tally } from './import-claims.ts';
import { makeProgress } from './progress.ts';
import { jsonReport, textReport } from './report.ts';

const tally = (parts: Partial<Tally> = {}): Tally => ({ ...noClaims(), ...parts });

describe('the exit code', () => {
  test.each([
    [{ sent: 3, existing: 2 }, false, 0],
    [{ sent: 3, skipped: 1 }, false, 1],
    [{ sent: 3, skipped: 1 }, true, 0],
    [{ sent: 3, refused: 1 }, true, 1],
    [{ sent: 3, undelivered: 1 }, true, 1],
    [{ sent: 3, stopped: 'interrupted' }, true, 2],
  ] as const)('%j with skips allowed %p is %d', (parts, allowSkips, code) => {
    expect(exitCode(tally(parts), allowSkips)).toBe(code);
  });
});

describe('the report', () => {
  const linesOf = (tell: (report: ReturnType<typeof textReport>) => void): string[] => {
    const lines: string[] = [];
    tell(textReport((line) => lines.push(line)));
    return lines;
  };

  test('names row, column, value and what was done', () => {
    const note = {
      column: 'ratedFloodZone',
      value: 'A08',
      action: 'normalized',
      what: 'sent as A8',
    } as const;
    expect(linesOf((report) => report.noted(2, note))).toEqual([
      'row 2: ratedFloodZone "A08": normalized: sent as A8',
    ]);
  });

  test('prints one line for each error of a rejected claim', () => {
    const errors = [
      { where: '/loss/date', detail: 'Must be a calendar date.' },
      { where: '', detail: 'Must be an object.' },
    ];
    const problem = { status: 422, code: 'validation_failed', detail: 'Not valid.', errors };
    expect(linesOf((report) => report.refused(3, 'X-1', problem))).toEqual([
      'row 3: claim X-1 REJECTED: 422 validation_failed Not valid.',
      'row 3:   /loss/date: Must be a calendar date.',
      'row 3:   (the whole body): Must be an object.',
    ]);
  });

  test('sums losses by column in descending order, and lists skipped rows', () => {
    const skippedRows = Array.from({ length: 25 }, (_, index) => index + 1);
    const losses = new Map([
      ['waterDepth', 2],
      ['causeOfDamage', 7],
    ]);
    const sums = tally({ rows: 40, sent: 15, withLosses: 8, losses, skipped: 25, skippedRows });
    const text = linesOf((report) => report.summary(sums, { seconds: 2, dryRun: false })).join('\n');
    expect(text).toContain('8 (causeOfDamage 7, waterDepth 2)');
    expect(text).toMatch(/skipped +25: row 1, 2, .*20 and 5 more/);
    expect(text).toMatch(/^sent +15$/m);
    expect(text).not.toContain('not sent (stopped)');
  });

  test('starts with the reason when the run stopped', () => {
    const sums = tally({ rows: 9, sent: 5, notSent: 4, stopped: 'interrupted' });
    const lines = linesOf((report) => report.summary(sums, { seconds: 2, dryRun: false }));
    expect(lines[1]).toBe('STOPPED after 9 rows: interrupted');
    expect(lines.join('\n')).toMatch(/not sent \(stopped\) +4/);
  });

  test('as JSON, every line is an object with its kind', () => {
    const lines: string[] = [];
    const report = jsonReport((line) => lines.push(line), { bodies: false });
    report.noted(2, { column: 'a', value: 'line\nbreak', action: 'left_out', what: 'x' });
    report.undelivered(3, 'X-1', 'no response in time');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: 'note', row: 2, column: 'a', value: 'line\nbreak', action: 'left_out', what: 'x' },
      { type: 'undelivered', row: 3, external_id: 'X-1', because: 'no response in time' },
    ]);
  });
});

describe('the progress', () => {
  function at(isTTY: boolean, share: number | null = 0.25) {
    let now = 1000;
    let written = '';
    const stream = {
      isTTY,
      columns: 120,
      write: (text: string) => {
        written += text;
      },
    };
    const progress = makeProgress({ stream, share: () => share, everyRows: 100, now: () => now });
    return {
      progress,
      pass: (milliseconds: number) => {
        now += milliseconds;
      },
      written: () => written,
    };
  }

  test('on a terminal is one updated line with rate and time left', () => {
    const { progress, pass, written } = at(true);
    pass(10_000);
    progress.counted(tally({ sent: 500 }));
    expect(written()).toBe('500 rows, 50/s, 25%, 30 s left, 500 sent');
    progress.counted(tally({ sent: 501 }));
    pass(100);
    progress.counted(tally({ sent: 502 }));
    expect(written().split('\r\u001b[K')).toHaveLength(2);
    progress.clear();
    expect(written().endsWith('\r\u001b[K')).toBe(true);
    expect(written()).not.toContain('\n');
  });

  test('in a pipe is one line per given number of rows', () => {
    const { progress, pass, written } = at(false, null);
    pass(1000);
    for (let sent = 1; sent <= 250; sent++) progress.counted(tally({ sent }));
    expect(written()).toBe('100 rows, 100/s, 100 sent\n200 rows, 200/s, 200 sent\n');
    progress.clear();
    expect(written()).not.toContain('\u001b');
  });

  test('shows the reason for waiting', () => {
    const terminal = at(true, null);
    terminal.progress.waiting(2000, 'the limit of the key');
    terminal.progress.counted(tally({ sent: 1 }));
    expect(terminal.written()).toContain('waiting 2 s: the limit of the key');
    const pipe = at(false);
    pipe.progress.waiting(2000, 'the limit of the key');
    expect(pipe.written()).toBe('');
    pipe.progress.waiting(60_000, 'the limit of this address');
    expect(pipe.written()).toBe('waiting 60 s: the limit of this address\n');
  });
});
