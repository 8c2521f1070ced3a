import { generateKeyPairSync, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import { ClaimsTimeoutError, ReceiptError } from '@svc/client';
import { EXAMPLES, LIMITS } from '@svc/contract';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { UsageError } from '../src/environment.ts';
import { failureFrom } from '../src/failure.ts';
import {
  claimJson,
  claims,
  idOf,
  jsonLines,
  jsonResponse,
  meResponse,
  problemResponse,
  recording,
} from './environment.ts';

const me = EXAMPLES.getKeyInfo.response;
const adjuster = EXAMPLES.inviteAdjuster.response as Record<string, unknown>;
/** The values that are shown, by name. */
const shownIn = (stdout: string): Record<string, string> =>
  Object.fromEntries(
    [...stdout.matchAll(/^(\w+) {2,}(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

describe('claims whoami', () => {
  it('shows the key, its firm and its scopes', async () => {
    const { service, requests } = recording(() => jsonResponse(200, me));
    const { code, stdout } = await claims(['whoami'], { service });
    expect(code).toBe(0);
    expect(shownIn(stdout)).toEqual({
      ...{ firm: 'Gulf Adjusting Partners', firm_id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21' },
      ...{ key: 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02', environment: 'live' },
      scopes: 'claims:create claims:read claims:write adjusters:read adjusters:write',
    });
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer svc_test_secret');
    expect(requests[0]?.headers.get('user-agent')).toMatch(/ claims\/\d/);
  });

  it('is shown in color on a terminal that has colors and where nobody wants none', async () => {
    const isColored = async (terminal: boolean, more: Record<string, string>) => {
      const env = { CLAIMS_URL: 'http://service.test', CLAIMS_API_KEY: 'k', ...more };
      const { stdout } = await claims(['whoami'], { service: () => jsonResponse(200, me), terminal, env });
      return stdout.includes('\u001b[2m');
    };
    const shown = [
      isColored(true, { NO_COLOR: '' }),
      isColored(false, {}),
      isColored(true, { NO_COLOR: '1' }),
      isColored(true, { TERM: 'dumb' }),
    ];
    expect(await Promise.all(shown)).toEqual([true, false, false, false]);
  });

  it('is asked of the URL of --url before that of the environment, and says that it waits', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      asked.push(String(url));
      if (asked.length % 2 === 0) return jsonResponse(200, me);
      return jsonResponse(429, { code: 'rate_limited' }, { 'Retry-After': '0' });
    };
    const { code, stderr } = await claims(['whoami', '--url', 'http://given.test/'], { fetch });
    expect([code, asked]).toEqual([0, Array(2).fill('http://given.test/v1/me')]);
    expect(stderr).toBe('claims: rate_limited; waiting 1 s\n');
    expect((await claims(['whoami', '--json'], { fetch })).stderr).toBe('');
  });

  it('tells with --json no answer, wrong usage and a refusal apart, and prints no control characters', async () => {
    const failed = async (args: readonly string[], options: Parameters<typeof claims>[1]) => {
      const { code, stderr } = await claims([...args, '--json'], options);
      return [code, JSON.parse(stderr).error.code];
    };
    const env = { CLAIMS_API_KEY: 'k' };
    const service = () => new Response(null, { status: 301 });
    const wrongKey = ['offer', idOf(1), '--adjuster', 'A', '--idempotency-key', 'é'];
    expect([await failed(['whoami'], { env }), await failed(wrongKey, {})]).toEqual(
      Array(2).fill([2, 'usage']),
    );
    expect(await failed(['whoami'], { service })).toEqual([1, 'http_301']);
    const named = await claims(['send', '--', '--json']);
    expect([named.code, named.stderr]).toEqual([2, 'claims: --json cannot be read: ENOENT\n']);
    const hostile = { ...Object(me), firm: { id: 'f', name: 'A\u001b[2J\u202e\u009b\u2028\u2029' } };
    const shown = await claims(['whoami'], { service: () => jsonResponse(200, hostile) });
    expect(shown.stdout).toContain('firm         A\ufffd[2J\ufffd\ufffd\ufffd\ufffd\n');
    const json = await claims(['whoami', '--json'], { service: () => jsonResponse(200, hostile) });
    expect(json.stdout).toContain('A\\u001b[2J\u202e\\u009b');
  });
});

it.each([
  ...['whoami', `get ${idOf(7)}`, `offer ${idOf(7)} --adjuster A`, 'adjusters invite A'],
  ...['adjusters withdraw A', 'readiness', 'sandbox faults slow', 'sandbox clear-faults'],
])('claims %s is left by Ctrl-C without a request', async (command) => {
  const { service, requests } = recording(() => jsonResponse(200, claimJson()));
  const left = await claims(command.split(' '), { service, signal: AbortSignal.abort() });
  expect([left, requests]).toEqual([{ code: 130, stdout: '', stderr: '' }, []]);
});

describe('claims get and offer', () => {
  it('show a claim', async () => {
    const claim = claimJson({ test: false }, { responded_at: 'answered', rejection_reason: 'Too far.' });
    const { service, requests } = recording(() => jsonResponse(200, claim));
    const { code, stdout } = await claims(['get', idOf(7).toUpperCase()], { service });
    expect(code).toBe(0);
    expect(shownIn(stdout)).toEqual({
      ...{ id: claimJson().id, external_id: 'CMS-2026-004418', claim_number: 'FL26-0093185', test: 'no' },
      ...{ status: 'accepted', adjuster: 'SVC-7F3K-Delacroix', responded_at: 'answered', reason: 'Too far.' },
      ...{ created_at: '2026-08-29T14:52:07.113Z', updated_at: '2026-08-29T15:04:11.208Z' },
      ...{ loss_date: '2026-08-27', carrier: 'Palmetto Mutual Insurance' },
      location: '88 Mangrove Court, Sanibel, FL, 33957',
    });
    expect(requests[0]?.path).toBe(`/v1/claims/${idOf(7)}`);
  });

  it('offer a claim to another adjuster, with the given idempotency key', async () => {
    const { service, requests } = recording(() => jsonResponse(200, claimJson()));
    const args = ['offer', idOf(7), '--adjuster', 'SVC-2', '--idempotency-key', 'second-round', '--json'];
    const { stdout } = await claims(args, { service });
    expect(JSON.parse(stdout)).toEqual(claimJson());
    expect(requests).toMatchObject([
      { method: 'POST', path: `/v1/claims/${idOf(7)}/assignment`, body: { adjuster_svc_id: 'SVC-2' } },
    ]);
    expect(requests[0]?.headers.get('idempotency-key')).toBe('second-round');
  });

  it('reject an id that is not a UUID, and say where the id is', async () => {
    for (const args of ['get EXT-1', 'offer EXT-1 --adjuster A', 'sandbox close EXT-1']) {
      const { code, stderr } = await claims(args.split(' '));
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining('claims send --json')]);
    }
  });
});

describe('claims adjusters', () => {
  it('invite with the given notes only', async () => {
    const { service, requests } = recording(() => jsonResponse(201, adjuster));
    const { code, stdout } = await claims(
      ['adjusters', 'invite', 'SVC-7F3K-Delacroix', '--invited-as', 'Jean'],
      {
        service,
      },
    );
    expect(code).toBe(0);
    const shown = { ...adjuster, name: '-', email: '-', responded_at: '-', note: '-', test: 'no' };
    expect(shownIn(stdout)).toEqual(shown);
    expect(requests).toMatchObject([{ method: 'POST', path: '/v1/adjusters/invitations' }]);
    expect(requests[0]?.body).toEqual({ svc_id: 'SVC-7F3K-Delacroix', invited_as: 'Jean' });
    const notes = { invited_as: 'A', invited_by: 'B', purpose: 'C', note: 'D' };
    const options = Object.entries(notes).flatMap(([name, note]) => [`--${name.replace('_', '-')}`, note]);
    const json = await claims(['adjusters', 'invite', 'SVC-2', '--json', ...options], { service });
    expect([requests[1]?.body, JSON.parse(json.stdout)]).toEqual([{ svc_id: 'SVC-2', ...notes }, adjuster]);
  });

  it('withdraw by the exact SVCID', async () => {
    const { service, requests } = recording(() => jsonResponse(200, { ...adjuster, status: 'withdrawn' }));
    const { code, stdout } = await claims(['adjusters', 'withdraw', 'a/b'], { service });
    expect([code, shownIn(stdout)]).toMatchObject([0, { svc_id: adjuster.svc_id, status: 'withdrawn' }]);
    expect(requests).toMatchObject([{ method: 'DELETE', path: '/v1/adjusters/invitations/a%2Fb' }]);
  });
});

describe('claims sandbox', () => {
  it.each([
    ['accept', 'claims', 'acceptance'],
    ['reject', 'claims', 'rejection'],
    ['close', 'claims', 'closure'],
    ['accept-invitation', 'invitations', 'acceptance'],
    ['decline-invitation', 'invitations', 'decline'],
    ['expire-invitation', 'invitations', 'expiry'],
    ['leave', 'adjusters', 'departure'],
    ['pause', 'adjusters', 'pause'],
    ['resume', 'adjusters', 'resume'],
    ['suspend', 'adjusters', 'suspension'],
    ['reinstate', 'adjusters', 'reinstatement'],
  ])('%s is the operation of this name, and shows what came of it', async (command, kind, operation) => {
    const [id, result, status] =
      kind === 'claims'
        ? ([idOf(7), claimJson(), 'accepted'] as const)
        : (['test_manual', adjuster, 'pending'] as const);
    const { service, requests } = recording(() => jsonResponse(200, result));
    const [more, body] =
      command === 'reject'
        ? ([['--reason', 'Far.'], { reason: 'Far.' }] as const)
        : ([[], undefined] as const);
    const { code, stdout } = await claims(['sandbox', command, id, ...more], { service });
    const path = `/v1/test/${kind}/${id}/${operation}`;
    expect([code, requests]).toMatchObject([0, [{ method: 'POST', path, body }]]);
    expect(shownIn(stdout)).toMatchObject({ status, test: kind === 'claims' ? 'yes' : 'false' });
    const json = await claims(['sandbox', command, id, '--json'], { service });
    expect([JSON.parse(json.stdout), requests[1]?.path]).toEqual([result, path]);
    const left = await claims(['sandbox', command, id], { service, signal: AbortSignal.abort() });
    expect([left.code, requests.length]).toEqual([130, 2]);
  });

  it('faults, clear-faults and the readiness send what was given, by default for a day', async () => {
    const { service, requests } = recording(({ path }) =>
      jsonResponse(200, path.endsWith('readiness') ? EXAMPLES.checkReadiness.response : { kind: 'slow' }),
    );
    for (const args of [
      'sandbox faults dropped --count 3',
      'sandbox clear-faults',
      'readiness',
      'sandbox faults slow',
    ]) {
      const { stdout } = await claims(args.split(' '), { service });
      if (args !== 'readiness') expect([args, stdout]).toEqual([args, 'kind  slow\n']);
    }
    await claims(['readiness', '--since', '1h'], { service });
    expect(requests).toMatchObject([
      { method: 'PUT', path: '/v1/test/faults', body: { kind: 'dropped', count: 3 } },
      { method: 'DELETE', path: '/v1/test/faults' },
      { query: { since: '2026-08-28T15:00:00.000Z' } },
      { body: { kind: 'slow', count: 1 } },
      { query: { since: '2026-08-29T14:00:00.000Z' } },
    ]);
  });
});

it('claims rehearse is known by its User-Agent, and needs a test key', async () => {
  const { service, requests } = recording(() => meResponse('live'));
  const { code, stderr } = await claims(['rehearse', '/'], { service });
  expect([code, stderr]).toEqual([2, 'claims: a rehearsal needs a test key\n']);
  expect(requests.map(({ headers }) => headers.get('user-agent'))).toEqual([
    expect.stringMatching(/ claims-rehearse\/\d/),
  ]);
});

/** The responses of `claims mcp` to an agent, in the order of its requests; the first is about the server. */
async function agentSession(
  args: readonly string[],
  asked: readonly object[],
  options: Parameters<typeof claims>[1],
) {
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const messages = [
    { id: 0, method: 'initialize', params: client },
    { method: 'notifications/initialized' },
    ...asked.map((one, n) => ({ id: n + 1, ...one })),
  ];
  const written: string[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const write = (text: string): void => {
    if (written.push(text) > asked.length) answer();
  };
  const stdin = (async function* () {
    for (const message of messages) yield `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
    await answered;
  })();
  const ended = await claims(['mcp', ...args], { ...options, stdin, stdout: { write } });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return jsonLines(written.join('')).sort((one, other) => Number(one.id) - Number(other.id));
}
const toolCall = (name: string, input: object) => ({
  method: 'tools/call',
  params: { name, arguments: input },
});

it('a tool of claims mcp fails instead of waiting for longer than a minute, and ends with its input', async () => {
  const service = () => jsonResponse(429, { code: 'rate_limited' }, { 'Retry-After': '60' });
  // Otherwise a call that waits would keep the process.
  const signal = AbortSignal.timeout(4500);
  expect(await agentSession([], [toolCall('getKeyInfo', {})], { service, signal })).toMatchObject([
    { result: { instructions: expect.stringContaining('switched off') } },
    { result: { isError: true, content: [{ text: expect.stringContaining('rate_limited') }] } },
  ]);
  const silent = (async function* () {
    await new Promise(() => {});
    yield '';
  })();
  expect((await claims(['mcp'], { stdin: silent, signal: AbortSignal.abort() })).code).toBe(0);
  const broken = (async function* () {
    yield '\n';
    throw new Error('EIO');
  })();
  expect(await claims(['mcp'], { stdin: broken })).toEqual({ code: 1, stdout: '', stderr: 'claims: EIO\n' });
  const stopping = new AbortController();
  const stopped: (boolean | undefined)[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    stopping.abort();
    stopped.push(init?.signal?.aborted);
    return new Promise(() => {});
  };
  await agentSession([], [toolCall('getKeyInfo', {})], { fetch, signal: stopping.signal });
  expect(stopped).toEqual([true]);
});

it('the tools of claims mcp send what they are given, and have the sandbox with a test key alone', async () => {
  const { service, requests } = recording(() => jsonResponse(200, claimJson()));
  const offer = { id: idOf(7), adjuster_svc_id: 'SVC-2', idempotency_key: 'second-round' };
  const asked = [
    toolCall('offerClaim', offer),
    toolCall('listClaims', { external_id: 'EXT-1', limit: 7 }),
    toolCall('getClaim', { id: '..' }),
  ];
  const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
  expect(await agentSession(['--allow-writes'], asked, { service })).toMatchObject([
    { result: { serverInfo: { version } } },
    { result: { isError: false, content: [{ text: JSON.stringify(claimJson()) }] } },
    { result: { isError: false } },
    { result: { isError: true, content: [{ text: expect.stringContaining('"code":"usage"') }] } },
  ]);
  expect(requests).toMatchObject([
    { method: 'POST', path: `/v1/claims/${idOf(7)}/assignment`, body: { adjuster_svc_id: 'SVC-2' } },
    { method: 'GET', path: '/v1/claims', query: { external_id: 'EXT-1', limit: '7' } },
  ]);
  expect(requests[0]?.headers.get('idempotency-key')).toBe('second-round');
  const hasSandbox = async (CLAIMS_API_KEY: string) => {
    const env = { CLAIMS_URL: 'http://service.test', CLAIMS_API_KEY };
    const [, listed] = await agentSession(['--allow-writes'], [{ method: 'tools/list' }], { env });
    return JSON.stringify(listed).includes('"acceptTestClaim"');
  };
  expect([await hasSandbox('svc_test_k'), await hasSandbox('svc_live_k')]).toEqual([true, false]);
});

it.each([
  ['by default', [], 30, 720],
  ['as said', ['--claims', '4', '--for', '100s'], 4, 100],
])(
  'claims rehearse writes a new file of claims, says each step at its time, and checks from its start on: %s',
  async (_, more, count, seconds) => {
    const { setTimeout: after } = globalThis;
    // Between two looks at the claims nobody waits here.
    const spy = jest.spyOn(globalThis, 'setTimeout');
    spy.mockImplementation(((action: () => void, ms = 0) =>
      after(action, ms > 1000 && ms <= 5000 ? 0 : ms)) as typeof setTimeout);
    const accounts = ['accepts', 'manual', 'rejects', 'paused'].map((name) => `test_${name}`);
    const lists: Record<string, readonly unknown[]> = {
      '/v1/adjusters': accounts.map((svc_id) => ({ svc_id, test: true, status: 'active' })),
      '/v1/claims': [claimJson()],
    };
    const { service, requests } = recording(({ path }) => {
      if (path === '/v1/me') return meResponse('test');
      if (path.endsWith('readiness')) return jsonResponse(200, EXAMPLES.checkReadiness.response);
      return jsonResponse(200, { data: lists[path], next_cursor: null });
    });
    const begun = Date.UTC(2026, 7, 29, 15);
    let clock = begun - 1000;
    const now = () => {
      clock += 1000;
      return clock;
    };
    const [folder, home] = [temporaryFolder(), process.cwd()];
    process.chdir(folder);
    const [named, file] = more.length > 0 ? [['a'], 'a'] : [[], `rehearsal-${begun.toString(36)}.jsonl`];
    const { code, stdout, stderr } = await claims(['rehearse', ...named, ...more], { service, now });
    const again = await claims(['rehearse', file, ...more, '--json'], { service, now });
    process.chdir(home);
    expect(spy.mock.calls.map(([, ms]) => ms)).toContain(Math.min(5000, (seconds * 1000) / 60));
    spy.mockRestore();
    const steps = [...stderr.matchAll(/^(\d\d:\d\d:\d\d) {2}(.*)\n/gm)];
    expect(steps.map(([line]) => line).join('')).toBe(stderr);
    expect(steps[1]?.[2]).toBe(
      `${count} claims are in ${file}: let your system send them with this key, and poll`,
    );
    const last = Date.parse(`2026-08-29T${steps.at(-1)?.[1]}Z`) - begun;
    expect([steps.at(-1)?.[2], Math.round(last / seconds / 1000)]).toEqual(['the next response is slow', 1]);
    expect(jsonLines(await readFile(join(folder, file), 'utf8'))).toHaveLength(count);
    const since = '2026-08-29T15:00:00.000Z';
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(`\nhttp://service.test/firm#/readiness/${since}\n`),
    ]);
    expect(requests.filter(({ path }) => path.endsWith('readiness'))).toMatchObject([{ query: { since } }]);
    expect([again.code, JSON.parse(again.stderr)]).toEqual([
      2,
      { error: { code: 'usage', detail: `${file} cannot be written: EEXIST; name a new file` } },
    ]);
  },
);

it('claims readiness shows of each check its state, its latest findings and what to do, and exits with 0 only when all is ready', async () => {
  const check = (state: string, ...ids: readonly string[]) => ({
    ...{ title: `T ${state}`, state, change: 'Mend it.', exercise: 'Try it.', finding_count: ids.length + 4 },
    findings: ids.map((id) => ({ detail: 'F.', requests: [...id].map((request_id) => ({ request_id })) })),
  });
  const [passed, failed] = [check('passed', 'e'), check('failed', 'a', 'b', 'cd', '')];
  const bodyOf = (ready: boolean, complete: boolean) => ({
    ...{ ready, complete, requests: 12, checks: [passed, failed, check('not_exercised')] },
  });
  const ended = async (ready: boolean, complete: boolean, ...args: string[]) => {
    const body = bodyOf(ready, complete);
    const { code, stdout } = await claims(['readiness', ...args], { service: () => jsonResponse(200, body) });
    return [code, args.includes('--json') ? JSON.parse(stdout) : stdout.trim().split(/\n */)];
  };
  const page = 'http://service.test/firm#/readiness/2026-08-28T15:00:00.000Z';
  const shown = (verdict: string) => [
    ...['passed   T passed', 'F. requests e', 'FAILED   T failed', 'F. requests b', 'F. requests c, d'],
    ...['F. no request', '8 in all. Mend it.', 'not yet  T not_exercised', 'Try it.'],
    ...[`12 requests were checked: ${verdict}`, page],
  ];
  const later = '; some requests or claims were not: choose a later --since';
  expect(await ended(false, false)).toEqual([1, shown(`not ready yet${later}`)]);
  expect(await ended(false, true)).toEqual([1, shown('not ready yet')]);
  expect(await ended(true, false)).toEqual([0, shown('ready')]);
  const checks = [passed, check('failed', '\u009b'), check('not_exercised'), check('new')];
  const service = () => jsonResponse(200, { ...bodyOf(false, true), checks });
  const { stdout } = await claims(['readiness'], { service, terminal: true });
  expect(stdout.split('\n').filter((line) => line.includes('\u001b'))).toEqual([
    ...['\u001b[32mpassed \u001b[39m  T passed', '         F. \u001b[2mrequests e\u001b[22m'],
    ...['\u001b[31mFAILED \u001b[39m  T failed', '         F. \u001b[2mrequests \ufffd\u001b[22m'],
    ...['\u001b[33mnot yet\u001b[39m  T not_exercised', '\u001b[33mnew    \u001b[39m  T new'],
  ]);
  for (const ready of [true, false])
    expect(await ended(ready, true, '--json', '--url', 'http://service.test//')).toEqual([
      ready ? 0 : 1,
      { ...bodyOf(ready, true), page },
    ]);
});

describe('an error', () => {
  it('is printed with its code, locations and request id, with exit code 1', async () => {
    const errors = [
      { detail: 'Must be one of these.', parameter: 'assignment_status' },
      { detail: 'Too\u001blong.', header: 'x' },
      { detail: 'Missing.', pointer: '/loss/date' },
      { detail: 'Wrong.' },
    ];
    const service = () => problemResponse(422, 'validation_failed', { errors });
    expect(await claims(['whoami'], { service })).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'claims: validation_failed: It is validation_failed.',
        '  assignment_status  Must be one of these.',
        '  x                  Too\ufffdlong.',
        '  /loss/date         Missing.',
        '                     Wrong.',
        '  request req-1',
        '',
      ].join('\n'),
    });
  });

  it('that the service did not send has its own code', () => {
    const errors = [new ClaimsTimeoutError('M', 2), new UsageError('M'), new TypeError('M')];
    const codes = [...errors, new ReceiptError('M'), 'M'].map(failureFrom);
    expect(codes).toEqual(
      ['no_answer', 'usage', 'usage', 'failed', 'failed'].map((code) => ({ code, detail: 'M' })),
    );
  });

  it('has the claim that exists, or the status of a response without a code, as JSON with --json', async () => {
    const existing = { existing_claim_id: idOf(3) };
    const duplicate = () => problemResponse(409, 'duplicate_claim', existing);
    const text = await claims(['get', idOf(1)], { service: duplicate });
    expect(text.stderr).toContain(`\n  existing claim ${idOf(3)}\n  request req-1\n`);
    const json = await claims(['get', idOf(1), '--json'], { service: duplicate });
    const error = { code: 'duplicate_claim', detail: 'It is duplicate_claim.', status: 409, ...existing };
    expect([json.code, json.stdout]).toEqual([1, '']);
    expect(JSON.parse(json.stderr)).toEqual({ error: { ...error, request_id: 'req-1' } });
    const page = await claims(['whoami', '--json'], { service: () => new Response('', { status: 404 }) });
    const { error: unknown } = JSON.parse(page.stderr);
    expect(unknown).toEqual({ code: 'http_404', detail: expect.stringContaining('404'), status: 404 });
  });

  it.each([
    ['no base URL', { env: { CLAIMS_API_KEY: 'k' } }, 'CLAIMS_URL'],
    [
      'an invalid base URL',
      { env: { CLAIMS_API_KEY: 'k', CLAIMS_URL: 'claims' } },
      'CLAIMS_URL must be an http or https URL',
    ],
    ['no key', { env: { CLAIMS_URL: 'http://x.test' } }, '/nowhere/.config/claims/key'],
    [
      'a key with spaces',
      { env: { CLAIMS_URL: 'http://x.test', CLAIMS_API_KEY: 'svc_test_a b' } },
      'CLAIMS_API_KEY',
    ],
  ])('for %s has exit code 2', async (_, options, message) => {
    const { code, stderr } = await claims(['whoami'], options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('svc_test_a');
  });

  it.each([
    ['nonsense'],
    ['whoami', '--api-key', 'svc_test_x'],
    ['watch', '--since', 'yesterday'],
    ['watch', '--since', '2026-08-29T14:30:00'],
    ['offer', idOf(1)],
    ['watch', '--interval', '0s'],
    ['watch', '--interval', '5x'],
    ['watch', '--interval', '1000000s'],
    ['readiness', '--since', '2026-13-29T14:30:00Z'],
    ['rehearse', '/', '--for', '0s'],
  ])('for wrong usage has exit code 2: %s', async (...args) => {
    const { code, stdout } = await claims(args);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('for a number beyond its bounds has exit code 2, and at them it has not', async () => {
    const refusing = () => problemResponse(403, 'insufficient_scope');
    const bounds = [
      ['send -', '--concurrency', 1, 20],
      ['import -', '--concurrency', 1, 20],
      ['import -', '--header-row', 1, 1000],
      ['sandbox faults dropped', '--count', LIMITS.faultCount.min, LIMITS.faultCount.max],
      ['rehearse /', '--claims', 1, 1000],
    ] as const;
    for (const [args, option, min, max] of bounds) {
      const messages = [min - 1, min, max, max + 1].map(async (value) => {
        const { code, stderr } = await claims([...args.split(' '), option, `${value}`], {
          service: refusing,
        });
        return code === 2 && stderr.includes(`Must be an integer from ${min} to ${max}.`);
      });
      expect([args, await Promise.all(messages)]).toEqual([args, [true, false, false, true]]);
    }
  });

  it.each([
    ['offer', ['offer', idOf(1)]],
    ['adjusters invite', ['adjusters', 'invite']],
  ])('of claims %s names the help of this command', async (command, args) => {
    expect((await claims(args)).stderr).toContain(`claims ${command} --help`);
  });

  it('without a command is the help, in color on a terminal only', async () => {
    const shown = [true, false].map(async (terminal) => (await claims([], { terminal })).stderr);
    const [colored = '', plain] = await Promise.all(shown);
    expect([colored.includes('\u001b[1mUsage:'), plain]).toEqual([true, stripVTControlCharacters(colored)]);
  });

  it('does not occur for --version, which is that of the package', async () => {
    const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
    expect(await claims(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

/** Of a command, and of those that its help lists. */
async function helpOf(path: readonly string[] = []): Promise<string[]> {
  const { stdout } = await claims([...path, '--help']);
  const listed = /^Commands:\n((?: .*\n)+)/m.exec(stdout)?.[1] ?? '';
  const names = [...listed.matchAll(/^ {2}(?!help)([\w-]+)/gm)].map(([, name = '']) => name);
  const below = await Promise.all(names.map((name) => helpOf([...path, name])));
  return [stdout, ...below.flat()];
}

it('claims verify-receipt reads keys from no host that a receipt names, and sends its own key to none', async () => {
  const named = 'https://forger.example/keys';
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: 'EdDSA', kid: named, jku: named, x5u: named, jwk: { kty: 'OKP', crv: 'Ed25519' } };
  const forged = [encoded(header), encoded({ claim_id: 'c1' }), Buffer.alloc(64).toString('base64url')];
  const asked: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push([String(url), new Headers(init?.headers).get('authorization')]);
    init?.signal?.throwIfAborted();
    return jsonResponse(200, { keys: [] });
  };
  const given = { fetch, stdin: forged.join('.') };
  const { code, stderr } = await claims(['verify-receipt', '-'], given);
  expect([code, stderr]).toEqual([1, expect.stringContaining('which is not among the keys')]);
  expect(asked).toEqual([['http://service.test/.well-known/jwks.json', null]]);
  for (const from of ['--jwks HTTPS://keys.test/a', '--url http://given.test//'])
    await claims(['verify-receipt', '-', ...from.split(' ')], given);
  expect(asked.slice(1)).toEqual([
    ['HTTPS://keys.test/a', null],
    ['http://given.test/.well-known/jwks.json', null],
  ]);
  const stopped = { ...given, signal: AbortSignal.abort() };
  expect((await claims(['verify-receipt', '-'], stopped)).code).toBe(130);
  const wrong = ['{"a":1}', 'x'.repeat(4 * 2 ** 20), 'x'.repeat(4 * 2 ** 20 + 1)].map((stdin) =>
    claims(['verify-receipt', '-'], { stdin }),
  );
  const keyless = claims(['verify-receipt', '-', '--jwks', '-'], { stdin: '{"keys": {}}' });
  expect(await Promise.all([...wrong, keyless])).toMatchObject([
    { code: 1, stderr: expect.stringContaining('The file has no receipt') },
    { code: 1, stderr: expect.stringContaining('This is not a receipt') },
    { code: 2, stderr: 'claims: - is too large\n' },
    { code: 2, stderr: expect.stringContaining('- must be a file as /.well-known/jwks.json') },
  ]);
});

it('claims verify-receipt shows each member of a genuine receipt under its name', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const content = {
    ...{ iss: 'issuer', iat: 1_788_000_000, version: 1, firm_id: 'firm', environment: 'live' },
    ...{ claim_id: 'claim', external_id: 'external', adjuster_svc_id: 'SVC-1', offered_at: 'offered' },
    pushes: [
      { channel: 'web', outcome: 'delivered', at: 'pushed' },
      { channel: 'mail', outcome: 'failed', at: 'mailed' },
    ],
    ...{ first_seen_at: 'seen', status: 'accepted', closed_at: 'closed' },
    answered: { at: 'answered', device_at: 'device', kept_offline_since: 'offline' },
    late_answer: { answer: 'rejected', at: 'late', device_at: 'no', kept_offline_since: 'no' },
    clocks: {
      first_contact: { at: 'received', device_at: 'called', date: null },
      inspection: { at: null, device_at: null, date: 'inspected' },
    },
    ...{ decided_by: { rule: 'rule', text: 'text' }, audit: { seq: 7, hash: 'hash' } },
  };
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }];
  const shown = async (receipt: object, ...args: readonly string[]) => {
    const signed = [{ alg: 'EdDSA', kid: 'k1' }, receipt]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign(null, Buffer.from(signed), privateKey).toString('base64url');
    const { stdout } = await claims(['verify-receipt', '-', ...args], {
      service: () => jsonResponse(200, { keys: args.includes('--jwks') ? [] : keys }),
      stdin: args.length > 0 ? `\n{"receipt": "${signed}.${signature}"}` : `${signed}.${signature}`,
    });
    return args.length > 0 ? JSON.parse(stdout) : shownIn(stdout.replace('The receipt is genuine.\n\n', ''));
  };
  expect(await shown(content)).toEqual({
    ...{ claim_id: 'claim', external_id: 'external', adjuster: 'SVC-1', offered_at: 'offered' },
    ...{ pushed: 'delivered pushed (web), failed mailed (mail)', first_seen_at: 'seen', status: 'accepted' },
    ...{ answered_at: 'answered', answered_too_late: 'rejected late', on_the_device: 'device' },
    ...{ offline_since: 'offline', first_contact: 'called (received received)', inspection: 'inspected' },
    ...{ closed_at: 'closed', decided_by: 'text', audit_row: '7 hash', issued_by: 'issuer' },
    issued_at: '2026-08-29T10:40:00.000Z',
  });
  const late = { ...content.late_answer, device_at: 'device', kept_offline_since: 'offline' };
  expect(await shown({ ...content, answered: null, late_answer: late })).toMatchObject({
    ...{ answered_too_late: 'rejected late', on_the_device: 'device', offline_since: 'offline' },
  });
  const saved = join(temporaryFolder(), 'jwks.json');
  await writeFile(saved, JSON.stringify({ keys }));
  for (const more of [[], ['--jwks', saved]])
    expect(await shown(content, '--json', ...more)).toEqual(content);
  const nothing = { ...{ answered: null, late_answer: null, clocks: null }, closed_at: null, audit: null };
  const bare = await shown({ ...content, ...nothing, pushes: [], first_seen_at: null });
  expect(Object.entries(bare).flatMap(([name, value]) => (value === '-' ? [name] : []))).toEqual([
    ...['pushed', 'first_seen_at', 'answered_at', 'answered_too_late', 'on_the_device', 'offline_since'],
    ...['first_contact', 'inspection', 'closed_at', 'audit_row'],
  ]);
});

it('the help of every command is in help.txt, with examples, each of them a valid command', async () => {
  const help = await helpOf();
  expect(help.join('\n')).toBe(await readFile(new URL('help.txt', import.meta.url), 'utf8'));
  const helpAt = async (columns?: number) => {
    const written: string[] = [];
    await claims(['--help'], { stdout: { write: (text) => written.push(text), columns } });
    return written;
  };
  expect(await helpAt()).toEqual(await helpAt(80));
  // Arguments are visible in lists of processes.
  expect(help.join()).not.toContain('--key ');
  for (const one of help) {
    const examples = [...one.matchAll(/^ {2}(?:.* \| )?claims ([^|>)\n]+)/gm)];
    expect([one, examples.length > 0]).toEqual([one, true]);
    for (const [, text = ''] of examples) {
      const args = (text.match(/'[^']*'|\S+/g) ?? []).map((arg) => arg.replaceAll("'", ''));
      // A missing file or the service's refusal is not wrong usage.
      const { stderr } = await claims(args, { service: () => problemResponse(403, 'x'), stdin: '{}' });
      expect([text, stderr]).not.toEqual([text, expect.stringContaining('--help lists')]);
    }
  }
});
