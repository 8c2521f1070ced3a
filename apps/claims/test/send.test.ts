import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createClientOn } from '../../../packages/client/src/client.ts';
import { platform } from '../../../packages/client/src/platform.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { createPace, roundedDuration } from '../src/send/pace.ts';
import type { Line } from '../src/send/read-claims.ts';
import { type Outcome, sendClaims } from '../src/send/send-claims.ts';
import {
  claimLine,
  claims,
  createFakeService,
  fetchOf,
  idOf,
  jsonLines,
  jsonResponse,
  problemResponse,
  type Service,
} from './environment.ts';

const lines = (count: number): Line[] =>
  Array.from({ length: count }, (_, i) => ({ number: i + 1, claim: JSON.parse(claimLine(i + 1)) }));

async function outcomesOf(
  service: Service,
  input: readonly Line[],
  options: Partial<Parameters<typeof sendClaims>[2]> = {},
) {
  let clock = 0;
  const client = createClientOn(
    {
      ...platform,
      now: () => clock,
      // Waits end immediately; the 30-second timeout of an attempt never fires.
      after(milliseconds, action) {
        if (milliseconds >= 30_000) return () => {};
        const timer = setImmediate(() => {
          clock += milliseconds;
          action();
        });
        return () => clearImmediate(timer);
      },
    },
    { baseUrl: 'http://service.test', apiKey: 'k', fetch: fetchOf(service), backoff: { baseMs: 0 } },
  );
  const outcomes: Outcome[] = [];
  const all = {
    concurrency: 4,
    journal: undefined,
    signal: new AbortController().signal,
    onRetry: () => {},
    ...options,
  };
  for await (const outcome of sendClaims(client, input, all)) outcomes.push(outcome);
  return outcomes;
}

const brief = (outcomes: readonly Outcome[]) => outcomes.map(({ line, outcome }) => `${line} ${outcome}`);

describe('sending a file', () => {
  it.each([
    ['a rejected key', () => problemResponse(401, 'invalid_key'), 1],
    ['a missing scope', () => problemResponse(403, 'insufficient_scope'), 1],
    ['an address that is not the service', () => new Response('<h1>404</h1>', { status: 404 }), 1],
    ['a service that stays unavailable', () => problemResponse(503, 'service_unavailable'), 9],
  ])('stops at %s, and reports what was not sent', async (_, reply, requests) => {
    let asked = 0;
    const { service, held } = createFakeService();
    const failing: Service = (request) => {
      if (held.size < 2) return service(request);
      asked += 1;
      return reply();
    };
    const outcomes = await outcomesOf(failing, lines(50), { concurrency: 1 });
    expect(brief(outcomes).slice(0, 4)).toEqual(['1 sent', '2 sent', '3 failed', '4 not_sent']);
    expect(outcomes).toHaveLength(50);
    expect(asked).toBe(requests);
  });

  it('stops when it is interrupted, and leaves the rest for the next run', async () => {
    const controller = new AbortController();
    const { service, held } = createFakeService();
    const interrupting: Service = (request) => {
      if (held.size === 3) controller.abort();
      return service(request);
    };
    const outcomes = await outcomesOf(interrupting, lines(10), { concurrency: 1, signal: controller.signal });
    const sent = outcomes.filter(({ outcome }) => outcome === 'sent').length;
    expect(brief(outcomes).slice(sent)).toEqual(
      lines(10)
        .slice(sent)
        .map(({ number }) => `${number} not_sent`),
    );
    await outcomesOf(service, lines(10));
    expect(held.size).toBe(10);
  });
});

describe('claims send', () => {
  it('reports the rate and the remaining time at the rate limit, about once a minute or on the bar', async () => {
    const stdin = Array.from({ length: 20 }, (_, i) => claimLine(i + 1)).join('\n');
    const reported = async (terminal: boolean) => {
      const { service } = createFakeService();
      let clock = 0;
      let requests = 0;
      const limited: Service = (request) => {
        if (request.path === '/v1/claims' && ++requests > 4) clock += 5000;
        return requests > 4 && requests % 2 === 1
          ? jsonResponse(429, { code: 'rate_limited' }, { 'Retry-After': '0' })
          : service(request);
      };
      const given = { service: limited, stdin, now: () => clock, terminal };
      return (await claims(['send', '-', '--concurrency', '1'], given)).stderr;
    };
    const [stderr = '', bar = ''] = await Promise.all([false, true].map(reported));
    const left = bar.match(/ *\d+\/20 {2}about .*? limit|\d+ of 20/g) ?? [];
    expect([left[0]?.trim(), left.at(-1)?.trim()]).toEqual([
      ...['9/20  about 2 min left at the rate limit', '19/20  about 10 s left at the rate limit'],
    ]);
    const [first, ...reports] = stderr.trim().split('\n');
    expect(first).toMatch(/^rate_limited, retrying in 1 s; /);
    expect(reports).toEqual([
      '9 of 20 done, 6 per minute: about 2 min left at the rate limit',
      '15 of 20 done, 6 per minute: about 50 s left at the rate limit',
    ]);
    // A clock may be set back.
    let at = 0;
    const pace = createPace(() => at--);
    pace.onRateLimited(0);
    expect(pace.estimate(5, 9)).toBeNull();
    const waits = [0, 89_000, 89_001, 5_369_000, 5_370_000, 7_500_000].map(roundedDuration);
    expect(waits).toEqual(['0 s', '89 s', '2 min', '89 min', '1 h 30 min', '2 h 5 min']);
  });

  it('reports rate limiting once in a log, and each time on the progress bar', async () => {
    for (const terminal of [false, true]) {
      const { service } = createFakeService();
      let asked = 0;
      const limited: Service = (request) => {
        asked += 1;
        if (asked === 3) return new Response('', { status: 502 });
        if (asked === 4) throw new TypeError('fetch failed');
        if (asked > 4) return service(request);
        return jsonResponse(429, { code: 'rate_limited' }, { 'Retry-After': '0' });
      };
      const stdin = `${claimLine(1)}\n${claimLine(2)}`;
      const { code, stderr } = await claims(['send', '-'], { service: limited, stdin, terminal });
      expect(code).toBe(0);
      if (terminal)
        expect(stderr.match(/(?<=\/2 {2})[\w ]+(?=, retrying in \d s)/g)).toEqual([
          ...['rate_limited', 'rate_limited', 'status 502', 'no response'],
        ]);
      else expect(stderr).toBe('rate_limited, retrying in 1 s; continuing at the rate limit of the key\n');
    }
  });

  const input = [claimLine(1), claimLine(2), '{"external_id":"EXT-3"}', '{', claimLine(5)].join('\n');

  it('prints a line for each claim in a pipe, with the location of each error', async () => {
    const { service } = createFakeService();
    const { code, stdout, stderr } = await claims(['send', '-'], { service, stdin: input });
    expect(code).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toBe(
      [
        `line 1  sent          EXT-1  ${idOf(1)}`,
        `line 2  sent          EXT-2  ${idOf(2)}`,
        'line 3  failed        EXT-3',
        '  validation_failed: It is validation_failed.',
        '    /claim_number  This field is required.',
        '    request req-1',
        'line 4  failed        -',
        '  not JSON, column 2',
        `line 5  sent          EXT-5  ${idOf(3)}`,
        '3 sent, 2 failed',
        '',
      ].join('\n'),
    );
  });

  it('prints only JSON Lines with --json, one for each claim also on a terminal', async () => {
    const { service } = createFakeService();
    const { code, stdout, stderr } = await claims(['send', '-', '--json'], { service, stdin: input });
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { line: 1, external_id: 'EXT-1', outcome: 'sent', id: idOf(1) },
      { line: 2, outcome: 'sent' },
      {
        ...{ line: 3, external_id: 'EXT-3', outcome: 'failed' },
        error: {
          ...{ code: 'validation_failed', status: 422, request_id: 'req-1' },
          errors: [{ pointer: '/claim_number' }],
        },
      },
      { line: 4, external_id: null, outcome: 'failed', error: { code: 'unreadable_line' } },
      { line: 5, outcome: 'sent' },
    ]);
    expect(stderr).toBe('3 sent, 2 failed\n');
    const again = { service: createFakeService().service, stdin: input, terminal: true };
    expect((await claims(['send', '-', '--json'], again)).stdout).toBe(stdout);
  });

  it('draws a progress bar on a terminal, and prints only errors above it', async () => {
    const { service } = createFakeService();
    const { stdout, stderr } = await claims(['send', '-'], { service, stdin: input, terminal: true });
    expect(stderr).toContain('░');
    expect(stderr).toContain('5/5');
    expect(stdout).not.toContain('EXT-1');
    expect(stdout).toContain('\u001b[31mfailed      \u001b[39m  EXT-3');
    expect(stdout).toContain('3 sent, 2 failed');
    expect(stderr).toContain('\u001b[33m');
    expect(stderr).toContain('5/5  2 failed');
    expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
    const piped: string[] = [];
    const drawn: string[] = [];
    const output = { write: (text: string) => piped.push(text) };
    await claims(['send', '-'], { service, stdin: claimLine(9), terminal: true, stdout: output });
    const narrow = { write: (text: string) => drawn.push(text), isTTY: true, columns: 13 };
    await claims(['send', '-'], { service, stdin: claimLine(10), stderr: narrow });
    expect(drawn.at(-2)).toBe('\r\u001b[2K███████  1/1');
    const { columns: _, ...unsized } = narrow;
    await claims(['send', '-'], { service, stdin: claimLine(11), stderr: unsized });
    expect(drawn.at(-2)).toBe(`\r\u001b[2K${'█'.repeat(40)}  1/1`);
    expect(piped.join('')).toMatch(/^line 1 {2}sent {10}EXT-9 .*\n1 sent\n$/);
  });

  it('succeeds when all is sent, also when it is run again', async () => {
    const { service, held } = createFakeService();
    const stdin = `${claimLine(1)}\n${claimLine(2)}\n`;
    expect(await claims(['send', '-'], { service, stdin })).toMatchObject({ code: 0 });
    const shown = await claims(['send', '-'], { service, stdin, terminal: true });
    expect(shown.stderr).toContain('2/2');
    const again = await claims(['send', '-'], { service, stdin });
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 sent, 2 already sent'),
    });
    expect(held.size).toBe(2);
    const logged = { service, terminal: true, stderr: { write: () => {} } };
    const shades = [1, 3].map((n) => claims(['send', '-'], { ...logged, stdin: claimLine(n) }));
    expect((await Promise.all(shades)).map(({ stdout }) => stdout)).toEqual([
      `line 1  \u001b[2malready sent\u001b[22m  EXT-1  ${idOf(1)}\n0 sent, 1 already sent\n`,
      `line 1  \u001b[32msent        \u001b[39m  EXT-3  ${idOf(3)}\n1 sent\n`,
    ]);
  });

  it('sends a claim unchanged, unknown fields included', async () => {
    const { service, requests } = createFakeService();
    const claim = { ...JSON.parse(claimLine(1)), of_tomorrow: { a: [1.5, null, 'ü'] } };
    const bytes = Buffer.from(JSON.stringify(claim, null, 4));
    // A character may be in two chunks.
    const middle = bytes.indexOf('ü') + 1;
    const stdin = (async function* () {
      yield* [bytes.subarray(0, middle), bytes.subarray(middle)];
    })();
    await claims(['send', '-'], { service, stdin });
    expect(requests[0]?.body).toEqual(claim);
  });

  it('reports unsent claims when the key is rejected', async () => {
    const stdin = [1, 2, 3].map((n) => claimLine(n)).join('\n');
    const given = { service: () => problemResponse(401, 'invalid_key'), stdin };
    const { code, stdout } = await claims(['send', '-', '--concurrency', '1'], given);
    expect(code).toBe(1);
    expect(stdout).toContain('0 sent, 1 failed, 2 not sent; run the same command again to send the rest');
    expect(stdout).not.toContain('line 2');
    const json = await claims(['send', '-', '--json', '--concurrency', '1'], given);
    const outcomes = jsonLines(json.stdout).map(({ external_id, outcome }) => `${external_id} ${outcome}`);
    expect(outcomes).toEqual(['EXT-1 failed', 'EXT-2 not_sent', 'EXT-3 not_sent']);
  });

  it('refuses a journal that was saved in UTF-16, since it adds lines in UTF-8', async () => {
    const file = join(temporaryFolder(), 'claims.jsonl');
    await writeFile(file, claimLine(1));
    const { service, held } = createFakeService();
    const journal = () => Buffer.from('\ufeff{}\n', 'utf16le');
    for (const saved of [journal(), journal().swap16()]) {
      await writeFile(`${file}.journal`, saved);
      const { code, stderr } = await claims(['send', file, '--journal'], { service });
      expect([code, stderr]).toEqual([2, expect.stringContaining('save it in UTF-8')]);
    }
    expect(held.size).toBe(0);
  });

  it('exits with 130 when it is interrupted', async () => {
    const controller = new AbortController();
    const service: Service = () => {
      controller.abort();
      return jsonResponse(201, {});
    };
    const stdin = `${claimLine(1)}\n${claimLine(2)}`;
    const { code } = await claims(['send', '-'], { service, stdin, signal: controller.signal });
    expect(code).toBe(130);
  });

  it.each([
    [['send', '-'], '', 'claims: standard input contains no claim\n'],
    [['send', '/dev/null'], '', 'claims: /dev/null contains no claim\n'],
    [['send', '-', '--journal'], '{}', 'claims: --journal needs an input file'],
    [['send'], '', 'missing required argument'],
  ])('is wrong usage as %j with the input %j', async (args, stdin, message) => {
    const { code, stderr } = await claims(args, { stdin });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
