import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '@svc/contract';
import { claimJson, claims, idOf, jsonResponse, problemResponse, recording } from './environment.ts';

const me = EXAMPLES.getKeyInfo.response;
const adjuster = EXAMPLES.inviteAdjuster.response as Record<string, unknown>;

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

  it('reject an id that is not a UUID, and say where the id is', async () => {
    const { code, stderr } = await claims(['get', 'EXT-1']);
    expect(code).toBe(2);
    expect(stderr).toContain('claims send --json');
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
});

describe('an error', () => {
  it('is printed with its code, locations and request id, with exit code 1', async () => {
    const errors = [
      { detail: 'Must be one of these.', parameter: 'assignment_status' },
      { detail: 'Too long.', parameter: 'x' },
    ];
    const service = () => problemResponse(422, 'validation_failed', { errors });
    expect(await claims(['whoami'], { service })).toEqual({
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
    ['watch', '--since', 'yesterday'],
    ['offer', idOf(1)],
    ['watch', '--interval', '0s'],
  ])('for wrong usage has exit code 2: %s', async (...args) => {
    const { code, stdout } = await claims(args);
    expect([code, stdout]).toEqual([2, '']);
  });

  it.each([
    ['offer', ['offer', idOf(1)]],
    ['adjusters invite', ['adjusters', 'invite']],
  ])('of claims %s names the help of this command', async (command, args) => {
    expect((await claims(args)).stderr).toContain(`claims ${command} --help`);
  });

  it('does not occur for --version, which is that of the package', async () => {
    const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
    expect(await claims(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('does not occur for --help', async () => {
    const { code, stdout } = await claims(['--help']);
    expect(code).toBe(0);
    for (const name of ['whoami', 'send', 'get', 'offer', 'watch', 'adjusters']) {
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

it('claims verify-receipt reads keys from no host that a receipt names, and sends its own key to none', async () => {
  const named = 'https://forger.example/keys';
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: 'EdDSA', kid: named, jku: named, x5u: named, jwk: { kty: 'OKP', crv: 'Ed25519' } };
  const forged = [encoded(header), encoded({ claim_id: 'c1' }), Buffer.alloc(64).toString('base64url')];
  const asked: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push([String(url), new Headers(init?.headers).get('authorization')]);
    return jsonResponse(200, { keys: [] });
  };
  const { code, stderr } = await claims(['verify-receipt', '-'], { fetch, stdin: forged.join('.') });
  expect([code, stderr]).toEqual([1, expect.stringContaining('which is not among the keys')]);
  expect(asked).toEqual([['http://service.test/.well-known/jwks.json', null]]);
});

it('the help of every command has examples, each of them a valid command', async () => {
  const paths = await commandPaths();
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) {
    const { stdout } = await claims([...path, '--help']);
    const examples = [...stdout.matchAll(/^ {2}(?:.* \| )?claims ([^|>)\n]+)/gm)];
    expect([path, examples.length > 0 && stdout.includes('\nExamples:\n')]).toEqual([path, true]);
    for (const [, text = ''] of examples) {
      const args = (text.match(/'[^']*'|\S+/g) ?? []).map((arg) => arg.replaceAll("'", ''));
      // A missing file or the service's refusal is not wrong usage.
      const { stderr } = await claims(args, { service: () => problemResponse(403, 'x'), stdin: '{}' });
      expect([text, stderr]).not.toEqual([text, expect.stringContaining('--help lists')]);
    }
  }
});
