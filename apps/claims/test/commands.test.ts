import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '@svc/contract';
import {
  claimJson,
  claims,
  idOf,
  jsonLines,
  jsonResponse,
  problemResponse,
  type Request,
  type Service,
} from './environment.ts';

const me = EXAMPLES.getKeyInfo.response;
const adjuster = EXAMPLES.inviteAdjuster.response as Record<string, unknown>;
const page = (...data: unknown[]) => jsonResponse(200, { data, next_cursor: null });

/** Records its requests. */
function recording(reply: (request: Request) => Response) {
  const requests: Request[] = [];
  const service: Service = (request) => {
    requests.push(request);
    return reply(request);
  };
  return { service, requests };
}

describe('claims whoami', () => {
  it('shows the key, its firm and its scopes', async () => {
    const { service, requests } = recording(() => jsonResponse(200, me));
    const { code, stdout } = await claims(['whoami'], { service });
    expect(code).toBe(0);
    expect(stdout).toContain('firm         Gulf Adjusting Partners');
    expect(stdout).toContain('environment  live');
    expect(stdout).toContain('claims:create claims:read');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer svc_test_secret');
  });

  it('prints the document with --json', async () => {
    const { stdout } = await claims(['whoami', '--json'], { service: () => jsonResponse(200, me) });
    expect(JSON.parse(stdout)).toEqual(me);
  });
});

describe('claims list', () => {
  it('sends its filters', async () => {
    const { service, requests } = recording(() => page());
    const args = ['list', '--status', 'rejected', '--since', '24h', '--external-id', 'EXT 1', '--limit', '3'];
    expect(await claims(args, { service })).toEqual({ code: 0, stdout: 'No claims.\n', stderr: '' });
    expect(requests.map(({ query }) => query)).toEqual([
      {
        assignment_status: 'rejected',
        updated_since: '2026-08-28T15:00:00.000Z',
        external_id: 'EXT 1',
        limit: '4',
      },
    ]);
  });

  it('prints an aligned table, and one document with --json', async () => {
    const service = () =>
      page(claimJson(), claimJson({ external_id: 'A', id: idOf(2) }, { status: 'on_hold' }));
    const { stdout } = await claims(['list'], { service });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^updated_at +status +external_id +claim_number +adjuster +reason +id$/);
    expect(lines.slice(1).map((line) => line.indexOf('FL26-0093185'))).toEqual([53, 53]);
    const { stdout: json } = await claims(['list', '--json'], { service });
    expect(JSON.parse(json).claims).toHaveLength(2);
  });

  it('stops at its limit, across pages', async () => {
    const { service, requests } = recording(() =>
      jsonResponse(200, { data: [claimJson(), claimJson()], next_cursor: `c${Math.random()}` }),
    );
    const { stdout } = await claims(['list', '--limit', '5', '--json'], { service });
    expect(JSON.parse(stdout).claims).toHaveLength(5);
    expect(requests).toHaveLength(3);
  });

  it('stops at a hundred, and says on standard error how to get more', async () => {
    const { service, requests } = recording(() =>
      page(...Array.from({ length: 101 }, (_, n) => claimJson({ id: idOf(n) }))),
    );
    const { code, stdout, stderr } = await claims(['list'], { service });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 101]);
    expect(stderr).toBe('claims: these are the first 100 claims; for more use --limit, for all use --all\n');
    expect(requests[0]?.query).toEqual({ limit: '101' });
    const { claims: printed, has_more } = JSON.parse((await claims(['list', '--json'], { service })).stdout);
    expect([printed.length, has_more]).toEqual([100, true]);
    const exactly = await claims(['list', '--limit', '101', '--json'], { service });
    expect([JSON.parse(exactly.stdout).has_more, exactly.stderr]).toEqual([false, '']);
  });

  it('prints with --all what arrived while later pages are on their way, with column names once', async () => {
    let printed = '';
    const stdout = { write: (text: string) => (printed += text) };
    const atRequest: number[] = [];
    const service: Service = ({ query }) => {
      atRequest.push(printed.split('\n').length - 1);
      if (atRequest.length > 3) return problemResponse(403, 'insufficient_scope');
      expect(query.limit).toBe('200');
      const data = Array.from({ length: 200 }, () => claimJson());
      return jsonResponse(200, { data, next_cursor: `c${atRequest.length}` });
    };
    expect(await claims(['list', '--all'], { service, stdout })).toMatchObject({ code: 1 });
    expect(atRequest).toEqual([0, 201, 401, 601]);
    expect(printed.match(/updated_at/g)).toHaveLength(1);

    [printed, atRequest.length] = ['', 0];
    await claims(['list', '--all', '--json'], { service, stdout });
    expect(jsonLines(printed)).toHaveLength(600);
  });

  it('replaces control characters on the terminal and keeps them in JSON', async () => {
    const reason = 'no\u001b[2J\u0007\u202e\nway';
    const service = () => page(claimJson({}, { status: 'rejected', rejection_reason: reason }));
    const { stdout } = await claims(['list'], { service, terminal: true });
    expect(stdout).toContain('no\ufffd[2J\ufffd\ufffd\ufffdway');
    const { stdout: json } = await claims(['list', '--json'], { service });
    expect(JSON.parse(json).claims[0].assignment.rejection_reason).toBe(reason);
  });
});

describe('claims get and offer', () => {
  it('show a claim', async () => {
    const { service, requests } = recording(() => jsonResponse(200, claimJson()));
    const { code, stdout } = await claims(['get', idOf(7).toUpperCase()], { service });
    expect(code).toBe(0);
    expect(stdout).toContain('status        accepted');
    expect(stdout).toContain('88 Mangrove Court, Sanibel, FL, 33957');
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

  it('reject an id that is not a UUID, and mention --external-id', async () => {
    const { code, stderr } = await claims(['get', 'EXT-1']);
    expect(code).toBe(2);
    expect(stderr).toContain('claims list --external-id');
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
    expect(stdout).toContain('status        pending');
    expect(requests).toMatchObject([{ method: 'POST', path: '/v1/adjusters/invitations' }]);
    expect(requests[0]?.body).toEqual({ svc_id: 'SVC-7F3K-Delacroix', invited_as: 'Jean' });
  });

  it('withdraw by the exact SVCID', async () => {
    const { service, requests } = recording(() => jsonResponse(200, { ...adjuster, status: 'withdrawn' }));
    expect(await claims(['adjusters', 'withdraw', 'a/b'], { service })).toMatchObject({ code: 0 });
    expect(requests).toMatchObject([{ method: 'DELETE', path: '/v1/adjusters/invitations/a%2Fb' }]);
  });

  it('list all adjusters', async () => {
    const service = () => page(adjuster, { ...adjuster, svc_id: 'B', status: 'a_status_of_tomorrow' });
    const { stdout } = await claims(['adjusters'], { service });
    expect(stdout).toMatch(/^svc_id +status +test +name +invited_as +expires_at\n/);
    expect(stdout).toContain('a_status_of_tomorrow');
    const { stdout: json } = await claims(['adjusters', '--json'], { service });
    expect(JSON.parse(json).adjusters).toHaveLength(2);
  });
});

describe('an error', () => {
  it('is printed with its code, locations and request id, with exit code 1', async () => {
    const errors = [
      { detail: 'Must be one of these.', parameter: 'assignment_status' },
      { detail: 'Too long.', parameter: 'x' },
    ];
    const service = () => problemResponse(422, 'validation_failed', { errors });
    expect(await claims(['list'], { service })).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'claims: validation_failed: It is validation_failed.',
        '  assignment_status  Must be one of these.',
        '  x                  Too long.',
        '  request req-1',
        '',
      ].join('\n'),
    });
  });

  it('is JSON on standard error with --json', async () => {
    const service = () => problemResponse(404, 'not_found');
    const { code, stdout, stderr } = await claims(['get', idOf(1), '--json'], { service });
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'not_found', detail: 'It is not_found.', status: 404, request_id: 'req-1' },
    });
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
    ['list', '--since', 'yesterday'],
    ['list', '--limit', '0'],
    ['list', '--limit', '5', '--all'],
    ['completion', 'tcsh'],
    ['offer', idOf(1)],
    ['watch', '--interval', '0s'],
  ])('for wrong usage has exit code 2: %s', async (...args) => {
    const { code, stdout } = await claims(args);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('does not occur for --help', async () => {
    const { code, stdout } = await claims(['--help']);
    expect(code).toBe(0);
    for (const name of ['whoami', 'send', 'list', 'get', 'offer', 'watch', 'adjusters']) {
      expect(stdout).toContain(`  ${name} `);
    }
    expect(stdout).not.toContain('--key ');
  });

  it('never contains the key', async () => {
    for (const args of [['whoami'], ['whoami', '--json']]) {
      const { stdout, stderr } = await claims(args, { service: () => problemResponse(401, 'invalid_key') });
      expect(stdout + stderr).not.toContain('svc_test_secret');
    }
  });
});

/** Commands with their groups, as the help lists them. */
async function commandPaths(path: readonly string[] = []): Promise<string[][]> {
  const { stdout } = await claims([...path, '--help']);
  const listed = /^Commands:\n((?: .*\n)+)/m.exec(stdout)?.[1] ?? '';
  const names = [...listed.matchAll(/^ {2}(?!help)([\w-]+)/gm)].map(([, name = '']) => name);
  const below = await Promise.all(names.map((name) => commandPaths([...path, name])));
  return [[...path], ...below.flat()];
}

it('the help of every command has examples, each of them a valid command', async () => {
  const paths = await commandPaths();
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) {
    const { stdout } = await claims([...path, '--help']);
    const examples = [...stdout.matchAll(/^ {2}(?:.* \| |source <\()?claims ([^|>)\n]+)/gm)];
    expect([path, examples.length > 0 && stdout.includes('\nExamples:\n')]).toEqual([path, true]);
    for (const [, text = ''] of examples) {
      const args = (text.match(/'[^']*'|\S+/g) ?? []).map((arg) => arg.replaceAll("'", ''));
      // A missing file or the service's refusal is not wrong usage.
      const { stderr } = await claims(args, { service: () => problemResponse(403, 'x'), stdin: '{}' });
      expect([text, stderr]).not.toEqual([text, expect.stringContaining('--help lists')]);
    }
  }
});

it.each(['bash', 'zsh', 'fish'])(
  'the completion for %s knows every command and its options',
  async (shell) => {
    const { code, stdout } = await claims(['completion', shell]);
    expect(code).toBe(0);
    for (const path of await commandPaths()) expect(stdout).toContain(`'${['claims', ...path].join(' ')}'`);
    for (const word of ['--external-id', '--idempotency-key', 'service_unavailable', 'withdraw'])
      expect(stdout).toContain(word);
  },
);
