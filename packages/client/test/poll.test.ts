import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '@svc/contract';
import type { Claim, ClaimsError, ClientOptions, PollOptions } from '../src/index.ts';
import {
  collect,
  createTestClient,
  failureOf,
  html,
  json,
  problem,
  type Reply,
  type Sent,
  unreachable,
} from './test-client.ts';

const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 7, 29, 12, 0, 0) + seconds * 1000).toISOString();
const claim = (id: string, seconds: number): Claim => ({
  ...(EXAMPLES.sendClaim.response as Claim),
  id,
  updated_at: at(seconds),
});
const page = (claims: readonly Claim[], next: string | null = null): Reply =>
  json({ data: claims, next_cursor: next });
const short = ({ id, updated_at }: Claim): string =>
  `${id}@${(Date.parse(updated_at) - Date.parse(at(0))) / 1000}`;
const timesOf = (sent: readonly Sent[]): number[] => sent.map(({ at: time }) => time - (sent[0]?.at ?? 0));
const sinceOf = ({ url }: Sent): string | null => url.searchParams.get('updated_since');

/** Runs the loop until the service has received this many requests, or the loop this many claims. */
async function poll(
  replies: readonly Reply[],
  options: PollOptions & { readonly rounds?: number; readonly take?: number } = {},
  ofClient: Partial<ClientOptions> = {},
) {
  const { rounds = replies.length, take = Number.POSITIVE_INFINITY, ...rest } = options;
  const controller = new AbortController();
  const seen: string[] = [];
  const positions: string[] = [];
  const saved: [number, string][] = [];
  const errors: ClaimsError[] = [];
  const fixture = createTestClient(
    [
      ...replies,
      () => {
        throw new Error('too many requests');
      },
    ],
    {
      maxRetries: 0,
      ...ofClient,
      onRequest: () => {
        if (fixture.sent.length >= rounds) controller.abort();
      },
    },
    () => 0,
  );
  const changes = fixture.client.pollClaims({
    signal: controller.signal,
    onPosition: async (position) => {
      await new Promise((resolve) => setImmediate(resolve));
      positions.push(position);
      saved.push([seen.length, JSON.parse(position).latest]);
    },
    onError: (error) => void errors.push(error),
    ...rest,
  });
  for await (const change of changes) {
    seen.push(short(change));
    if (seen.length >= take) break;
  }
  return { seen, positions, saved, errors, sent: fixture.sent, last: positions.at(-1) };
}

describe('polling', () => {
  it('requests changes since the latest minus the overlap, follows cursors and waits the interval', async () => {
    const { seen, sent } = await poll([
      page([claim('a', 0), claim('b', 10)], 'next'),
      page([claim('c', 200)]),
      page([]),
      page([claim('d', 400)]),
      page([]),
    ]);
    expect(seen).toEqual(['a@0', 'b@10', 'c@200', 'd@400']);
    expect(sent.map(sinceOf)).toEqual([null, null, at(140), at(140), at(340)]);
    expect(sent.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'next', null, null, null]);
    expect(timesOf(sent)).toEqual([0, 0, 60_000, 120_000, 180_000]);
    expect(sent.every(({ url }) => url.searchParams.get('limit') === '200')).toBe(true);
  });

  const old = [claim('a', 0), claim('b', 10)];
  const fine = (digits: string): Claim => ({
    ...claim('b', 0),
    updated_at: `2026-08-29T12:00:01.5000${digits}Z`,
  });

  it.each<[string, Claim[][], string[], number]>([
    [
      'each change once although the overlap repeats it',
      [old, old, [...old, claim('a', 20)], [claim('a', 20)]],
      ['a@0', 'b@10', 'a@20'],
      -40,
    ],
    [
      'a change that appears late within the overlap, without moving back',
      [[claim('a', 100)], [claim('late', 70), claim('a', 100)], [claim('late', 70), claim('a', 100)]],
      ['a@100', 'late@70'],
      40,
    ],
    [
      'claims of an unordered page, and continues from the latest',
      [[claim('b', 100), claim('a', 50), claim('c', 75)]],
      ['b@100', 'a@50', 'c@75'],
      40,
    ],
    [
      'no older state of a claim after a newer one',
      [[claim('a', 20)], [claim('a', 10)], [claim('a', 30)]],
      ['a@20', 'a@30'],
      -30,
    ],
    [
      'two changes of a claim in one page, and two within one millisecond',
      [[claim('a', 1), claim('a', 2), fine('1'), fine('2')]],
      ['a@1', 'a@2', 'b@1.5', 'b@1.5'],
      -58,
    ],
  ])('yields %s', async (_, pages, expected, since) => {
    const { seen, sent } = await poll([...pages.map((claims) => page(claims)), page([])]);
    expect(seen).toEqual(expected);
    expect(sent.map(sinceOf).at(-1)).toBe(at(since));
  });

  it('uses the given interval and overlap, 0 included', async () => {
    const { sent } = await poll([page([claim('a', 100)]), page([]), page([])], {
      intervalMs: 5000,
      overlapMs: 0,
    });
    expect(sent.map(sinceOf)).toEqual([null, at(100), at(100)]);
    expect(timesOf(sent)).toEqual([0, 5000, 10_000]);
    const busy = await poll([page([]), page([]), page([])], { intervalMs: 0 });
    expect(timesOf(busy.sent)).toEqual([0, 0, 0]);
  });

  it.each([{ intervalMs: -1 }, { overlapMs: Number.NaN }, { since: 'never' }])(
    'is not begun with %j',
    async (wrong) => {
      expect(await failureOf(poll([page([])], wrong))).toBeInstanceOf(TypeError);
    },
  );

  it('starts at `since` until there is a first change', async () => {
    const { sent } = await poll([page([]), page([claim('a', 500)]), page([])], { since: new Date(at(300)) });
    expect(sent.map(sinceOf)).toEqual([at(300), at(300), at(440)]);
  });

  it('never goes back before its start, not even in a later loop', async () => {
    const first = await poll([page([claim('a', 310)]), page([claim('a', 310)]), page([])], {
      since: at(300),
    });
    expect(first.sent.map(sinceOf)).toEqual([at(300), at(300), at(300)]);
    const second = await poll([page([claim('b', 400)]), page([])], { position: first.last, since: at(0) });
    expect(second.sent.map(sinceOf)).toEqual([at(300), at(340)]);
  });

  it('drops ids before the overlap, so that a position stays small', async () => {
    const claims = Array.from({ length: 500 }, (_, i) => claim(`id-${i}`, i));
    const { last, seen } = await poll([page(claims), page([])]);
    expect(seen).toHaveLength(500);
    expect(Object.keys(JSON.parse(last ?? '{}').seen)).toHaveLength(61);
  });
});

describe('a position', () => {
  it('is passed to onPosition after each processed page', async () => {
    const pages = [
      page([claim('a', 0), claim('b', 1)], 'n'),
      page([claim('c', 2)], 'm'),
      page([claim('d', 3)]),
    ];
    const { saved } = await poll(pages);
    expect(saved).toEqual([
      [2, at(1)],
      [3, at(2)],
      [4, at(3)],
    ]);
  });

  it('is not passed again while nothing changes', async () => {
    const same = page([claim('a', 0)]);
    expect((await poll([same, same, same, page([])])).positions).toHaveLength(1);
    expect((await poll([page([]), page([])])).positions).toEqual([]);
  });

  it('resumes after the last change without repeating the overlap', async () => {
    const first = await poll([page([claim('a', 0), claim('b', 30)]), page([])]);
    const again = [claim('a', 0), claim('b', 30), claim('c', 31)];
    const second = await poll([page(again), page([])], { position: first.last });
    expect(second.seen).toEqual(['c@31']);
    expect(second.sent.map(sinceOf)).toEqual([at(-30), at(-29)]);
  });

  it('of a loop that is left is before the current claim', async () => {
    const three = [claim('a', 0), claim('b', 10), claim('c', 20)];
    const left = await poll([page(three)], { take: 2, rounds: 9 });
    expect(left.seen).toEqual(['a@0', 'b@10']);
    const resumed = await poll([page(three), page([])], { position: left.last });
    expect(resumed.seen).toEqual(['b@10', 'c@20']);
  });

  it('of a loop that fails is before the claim it failed at', async () => {
    const positions: string[] = [];
    const fixture = createTestClient([page([claim('a', 0)]), page([claim('a', 0), claim('b', 10)])]);
    const broken = (async () => {
      for await (const { id } of fixture.client.pollClaims({ onPosition: (p) => void positions.push(p) })) {
        if (id === 'b') throw new Error('the database is away');
      }
    })();
    expect(await failureOf(broken)).toMatchObject({ message: 'the database is away' });
    const resumed = await poll([page([claim('a', 0), claim('b', 10)]), page([])], {
      position: positions.at(-1),
    });
    expect(resumed.seen).toEqual(['b@10']);
  });

  it.each([
    '',
    'x',
    '{}',
    '[]',
    '{"v":2}',
    'null',
    '{"v":1,"seen":{}}',
    '{"v":2,"latest":"2026-08-29T12:00:00Z","seen":{}}',
    '{"v":1,"latest":"2026-08-29T12:00:00Z","seen":[]}',
    '{"v":1,"latest":"never","seen":{}}',
    '{"v":1,"latest":3,"seen":{}}',
    '{"v":1,"start":"never","latest":"2026-08-29T12:00:00Z","seen":{}}',
  ])('that is invalid is rejected: %j', async (position) => {
    expect(await failureOf(poll([page([])], { position }))).toBeInstanceOf(TypeError);
  });

  it('that cannot be saved ends the loop, and what it was woken by', async () => {
    const onPosition = () => Promise.reject(new Error('disk full'));
    const ended: string[] = [];
    const wakeOn = () => () => void ended.push('webhooks');
    const two = page([claim('a', 0), claim('b', 1)]);
    for (const take of [9, 2])
      expect(await failureOf(poll([two, page([])], { onPosition, wakeOn, take }))).toMatchObject({
        message: 'disk full',
      });
    expect(ended).toEqual(['webhooks', 'webhooks']);
  });
});

describe('polling with errors', () => {
  it.each([
    ['no connection', unreachable],
    ['a server error', problem(500, 'internal_error')],
    ['a gateway', html(502)],
    ['something else than a page', json({})],
  ])('continues with the next poll after %s', async (_, trouble) => {
    const { seen, errors, sent } = await poll([
      page([claim('a', 100)]),
      trouble,
      trouble,
      page([claim('b', 130)]),
      page([]),
    ]);
    expect(seen).toEqual(['a@100', 'b@130']);
    expect(errors).toHaveLength(2);
    expect(sent.map(sinceOf)).toEqual([null, at(40), at(40), at(40), at(70)]);
  });

  it('continues from the current page when the next one fails', async () => {
    const { seen, sent } = await poll([
      page([claim('a', 0), claim('b', 300)], 'n'),
      html(500),
      page([claim('b', 300), claim('c', 301)]),
      page([]),
    ]);
    expect(seen).toEqual(['a@0', 'b@300', 'c@301']);
    expect(sent.map(sinceOf)).toEqual([null, null, at(240), at(241)]);
  });

  it('starts the poll again when a cursor is rejected', async () => {
    const stale = problem(422, 'validation_failed', {
      errors: [{ detail: 'Unknown.', parameter: 'cursor' }],
    });
    const { seen, errors } = await poll([
      page([claim('a', 0)], 'n'),
      stale,
      page([claim('a', 0), claim('b', 1)]),
      page([]),
    ]);
    expect(seen).toEqual(['a@0', 'b@1']);
    expect(errors).toMatchObject([{ code: 'validation_failed' }]);
  });

  it.each<[string, boolean | undefined, string[]]>([
    ['svc_live_1', undefined, ['b@10']],
    ['svc_live_1', false, ['b@10']],
    ['svc_live_1', true, ['a@0', 'b@10']],
    ['svc_test_1', undefined, ['a@0', 'b@10']],
    ['svc_test_1', false, ['a@0', 'b@10']],
  ])(
    'skips test claims with a live key unless they are requested: %s, %s',
    async (apiKey, includeTest, expected) => {
      const mixed = [
        { ...claim('a', 0), test: true },
        { ...claim('b', 10), test: false },
      ];
      const { seen, last } = await poll([page(mixed), page([])], { includeTest }, { apiKey });
      expect(seen).toEqual(expected);
      expect(JSON.parse(last ?? '').latest).toBe(at(10));
    },
  );

  it.each([429, 503])('waits at least Retry-After, and at least the interval: %d', async (status) => {
    const wait = problem(status, 'c', {}, { 'Retry-After': '90' });
    const { sent } = await poll([wait, page([]), page([])]);
    expect(timesOf(sent)).toEqual([0, 90_000, 150_000]);
    const soon = problem(status, 'c', {}, { 'Retry-After': '5' });
    expect(timesOf((await poll([soon, page([])])).sent)).toEqual([0, 60_000]);
  });

  it.each([
    [401, 'invalid_key'],
    [403, 'insufficient_scope'],
    [422, 'validation_failed'],
  ])('ends with an error that every further poll would get: %d %s', async (status, code) => {
    expect(await failureOf(poll([problem(status, code)], { rounds: 9 }))).toMatchObject({ status, code });
    const later = [page([claim('a', 0)], 'n'), problem(403, code)];
    expect(await failureOf(poll(later, { rounds: 9 }))).toMatchObject({ status: 403, code });
    const second = [page([claim('a', 0)], 'n'), page([]), problem(status, code)];
    expect(await failureOf(poll(second, { rounds: 9 }))).toMatchObject({ status, code });
  });

  it('retries each call before a poll counts as failed', async () => {
    const { seen, errors } = await poll(
      [html(502), html(502), page([claim('a', 0)]), page([])],
      {},
      { maxRetries: 5 },
    );
    expect(seen).toEqual(['a@0']);
    expect(errors).toEqual([]);
    const failures: string[] = [];
    const onRetry = ({ error }: { readonly error: ClaimsError }) => failures.push(error.message);
    const { sent } = await poll([html(502), html(502), page([])], { maxRetries: 1, onRetry, rounds: 3 });
    expect([failures.length, timesOf(sent)]).toEqual([1, [0, 0, 60_000]]);
  });
});

describe('a webhook', () => {
  it('ends the wait, also one that arrives while a poll runs, and each wait is ended once', async () => {
    let wake = (): void => {};
    let ended = 0;
    const options: PollOptions & { readonly rounds: number } = {
      rounds: 4,
      wakeOn: (given) => {
        wake = given;
        return () => {
          ended += 1;
        };
      },
    };
    const during: Reply = (sent, signal) => {
      wake();
      wake();
      return page([claim('a', 0)])(sent, signal);
    };
    const { sent } = await poll([during, page([]), page([]), page([])], options);
    expect(timesOf(sent)).toEqual([0, 0, 60_000, 120_000]);
    expect(ended).toBe(1);
    const waiting = await poll([page([claim('a', 0)]), page([])], {
      ...options,
      rounds: 2,
      async onPosition() {
        const saved = new Promise((resolve) => setImmediate(resolve));
        // Once the wait has begun.
        setImmediate(() => wake());
        await saved;
      },
    });
    expect(timesOf(waiting.sent)).toEqual([0, 0]);
  });

  it('does not end the wait that the service asked for', async () => {
    let wake = (): void => {};
    const limited: Reply = (sent, signal) => {
      wake();
      return problem(503, 'service_unavailable', {}, { 'Retry-After': '90' })(sent, signal);
    };
    const { sent } = await poll([limited, page([])], {
      wakeOn(given) {
        wake = given;
      },
    });
    expect(timesOf(sent)).toEqual([0, 90_000]);
  });
});

describe('an abort of the polling', () => {
  it('before the loop ends it without a request', async () => {
    const fixture = createTestClient([page([claim('a', 0)])]);
    expect(await collect(fixture.client.pollClaims({ signal: AbortSignal.abort() }))).toEqual([]);
    expect(fixture.sent).toEqual([]);
  });

  it('between two polls ends it without an error or a timer', async () => {
    const controller = new AbortController();
    const fixture = createTestClient([page([claim('a', 0)])], {
      onResponse: () => void setImmediate(() => queueMicrotask(() => controller.abort())),
    });
    expect((await collect(fixture.client.pollClaims({ signal: controller.signal }))).map(short)).toEqual([
      'a@0',
    ]);
    expect(fixture.pendingTimers()).toBe(0);
  });

  it('during the wait that the service asked for ends it at once', async () => {
    const controller = new AbortController();
    const limited = problem(503, 'service_unavailable', {}, { 'Retry-After': '90' });
    const { client, now, pendingTimers } = createTestClient([limited], { maxRetries: 0 });
    const begun = now();
    const onError = () => queueMicrotask(() => controller.abort());
    expect(await collect(client.pollClaims({ signal: controller.signal, onError }))).toEqual([]);
    expect([now() - begun, pendingTimers()]).toEqual([0, 0]);
  });

  it('within a page ends it after the current claim', async () => {
    const controller = new AbortController();
    const three = [claim('a', 0), claim('b', 10), claim('c', 20)];
    const fixture = createTestClient([page(three)]);
    const positions: string[] = [];
    const options = { signal: controller.signal, onPosition: (p: string) => void positions.push(p) };
    for await (const { id } of fixture.client.pollClaims(options)) if (id === 'b') controller.abort();
    expect((await poll([page(three), page([])], { position: positions.at(-1) })).seen).toEqual(['c@20']);
  });
});
