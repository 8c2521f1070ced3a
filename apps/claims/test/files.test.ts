import { appendFile, chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import {
  claimJson,
  claimLine,
  claims,
  createFakeService,
  idOf,
  jsonResponse,
  meResponse,
  page,
  recording,
  type Service,
  untilAnswered,
} from './environment.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const url = { CLAIMS_URL: 'http://service.test' };
const env = { ...url, CLAIMS_API_KEY: 'k' };

/** One poll that returns these claims: those that are shown, and since when the service was asked. */
async function watchOnce(state: string, ...data: unknown[]) {
  const { requests, ...given } = untilAnswered([page(...data)]);
  const args = ['watch', '--json', '--include-test', '--state', state];
  const { stdout } = await claims(args, { env, ...given });
  return {
    ids: stdout.match(/"id":"[^"]+"/g)?.map((id) => Number(id.slice(-5, -1))) ?? [],
    since: requests[0]?.query.updated_since,
  };
}

/** As Windows programs save text: Notepad, and what PowerShell writes by `>`. */
const ENCODED: readonly (readonly [name: string, encoded: (text: string) => Buffer])[] = [
  ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['big-endian UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
];

describe.each(ENCODED)('a file in %s', (_, encoded) => {
  const accept: Service = ({ body }) => jsonResponse(201, claimJson(body));
  const write = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, encoded(text));
    return path;
  };

  it('has the claims to send, on one line each', async () => {
    const { service, requests } = recording(accept);
    const path = await write('claims.jsonl', `${claimLine(1)}\r\n${claimLine(2)}\r\n`);
    const { code, stderr } = await claims(['send', path], { service, env });
    const sent = requests.map(({ body }) => body);
    expect([code, sent]).toEqual([0, [claimLine(1), claimLine(2)].map((line) => JSON.parse(line))]);
    expect(stderr).not.toContain('not JSON');
  });

  it('has the columns of an import', async () => {
    const file = join(folder, 'claims.csv');
    await writeFile(file, 'Claim #,Code\nA-1,x\n');
    const columns = await write('columns.json', '{"Claim #": "claim_number", "Code": null}');
    const { stderr } = await claims(['import', file, '--columns', columns, '--dry-run'], {
      service: accept,
      env,
    });
    expect(stderr).not.toContain('must be a JSON object');
  });

  it('has the position of a watch', async () => {
    const state = await write('state.json', '{"v":1,"latest":"2026-08-29T14:00:02.000Z","seen":{}}');
    expect(await watchOnce(state)).toMatchObject({ since: '2026-08-29T13:59:02.000Z' });
  });

  it('has the keys and the receipt of verify-receipt', async () => {
    const jwks = await write('jwks.json', '{"keys": []}');
    const receipt = await write('receipt.json', '{"receipt": "a.b.c"}');
    const { code, stderr } = await claims(['verify-receipt', receipt, '--jwks', jwks], { env: url });
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('no receipt')]);
    expect(stderr).not.toContain('must be a file as');
  });
});

describe('the key file', () => {
  const service: Service = ({ headers }) => meResponse('test', headers.get('authorization') ?? '');
  const keyUsed = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { stdout } = await claims(['whoami', '--json', ...args], {
      service,
      home: folder,
      env: { ...url, ...env },
    });
    return JSON.parse(stdout).key.id;
  };
  const write = async (path: string, mode: number, text = 'svc_test_from_file\n') => {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  };

  it('is read from its default path, or from XDG_CONFIG_HOME', async () => {
    await write(join(folder, '.config/claims/key'), 0o600);
    expect(await keyUsed([])).toBe('Bearer svc_test_from_file');
    const empty = { XDG_CONFIG_HOME: '', CLAIMS_API_KEY: '' };
    expect(await keyUsed([], empty)).toBe('Bearer svc_test_from_file');
    await write(join(folder, 'xdg/claims/key'), 0o400, 'svc_test_xdg');
    expect(await keyUsed([], { XDG_CONFIG_HOME: join(folder, 'xdg') })).toBe('Bearer svc_test_xdg');
    await chmod(join(folder, 'xdg/claims/key'), 0o640);
    const readable = { home: '/', env: { ...url, XDG_CONFIG_HOME: join(folder, 'xdg') } };
    expect((await claims(['whoami'], readable)).stderr).toContain('mode 0640, so other users can access it');
    for (const [env, what] of [
      [url, 'key file /dev/null/.config/claims/key'],
      [{}, 'config file /dev/null/.config/claims/config.json'],
    ] as const)
      expect((await claims(['whoami'], { home: '/dev/null', env })).stderr).toBe(
        `claims: the ${what} cannot be read: ENOTDIR\n`,
      );
  });

  it.each(ENCODED)('and the config file are read in %s', async (_, encoded) => {
    await mkdir(join(folder, '.config/claims'), { recursive: true });
    const files = [
      ['key', 'svc_test_encoded\r\n'],
      ['config.json', '{"url": "http://service.test"}\r\n'],
    ] as const;
    for (const [name, text] of files)
      await writeFile(join(folder, '.config/claims', name), encoded(text), { mode: 0o600 });
    const { stdout, stderr } = await claims(['whoami', '--json'], { service, home: folder, env: {} });
    expect([stderr, JSON.parse(stdout).key.id]).toEqual(['', 'Bearer svc_test_encoded']);
  });

  it('precedes the environment with --key-file, and follows it without', async () => {
    await write(join(folder, '.config/claims/key'), 0o600, 'svc_test_usual');
    const named = await write(join(folder, 'named'), 0o600, `  svc_test_named${' '.repeat(4078)}\r\n`);
    const env = { CLAIMS_API_KEY: 'svc_test_env' };
    expect(await keyUsed([], env)).toBe('Bearer svc_test_env');
    expect(await keyUsed(['--key-file', named], env)).toBe('Bearer svc_test_named');
  });

  it.each(['640', '604', '660', '644', '777', '610', '602'])(
    'with mode %s is rejected with an error that has the mode',
    async (mode) => {
      const path = await write(join(folder, 'key'), Number.parseInt(mode, 8));
      const { code, stdout, stderr } = await claims(['whoami', '--key-file', path], { service, env: url });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`mode 0${mode}, so other users can access it; run chmod 600 ${path}`);
      expect(stderr).not.toContain('svc_test_from_file');
    },
  );

  it('is checked after following links', async () => {
    const open = await write(join(folder, 'open'), 0o644);
    await symlink(open, join(folder, 'link'));
    const { code } = await claims(['whoami', '--key-file', join(folder, 'link')], { service, env: url });
    expect(code).toBe(2);
  });

  it.each([
    ['missing', '', 'ENOENT'],
    ['a folder', '.', 'is not a file'],
    ['empty', 'empty', 'is empty'],
    ['something else', 'pem', 'is not a key'],
    ['far too large', 'large', 'is too large'],
  ])('that is %s is rejected', async (_, name, message) => {
    await write(join(folder, 'empty'), 0o600, ' \n');
    await write(join(folder, 'pem'), 0o600, '-----BEGIN SECRET-----\nabc\n');
    await write(join(folder, 'large'), 0o600, 'x'.repeat(4097));
    await chmod(folder, 0o700);
    const path = name === '' ? join(folder, 'none') : join(folder, name);
    const { code, stderr } = await claims(['whoami', '--key-file', path], { service, env: url });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('SECRET');
  });
});

describe('the config file', () => {
  const whoami = async (text: string, mode = 0o600, args: readonly string[] = [], more: object = {}) => {
    const path = join(folder, '.config/claims/config.json');
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
    const requested: string[] = [];
    const ran = await claims(['whoami', ...args], {
      home: folder,
      env: { CLAIMS_API_KEY: 'svc_test_k', ...more },
      fetch: async (input) => {
        requested.push(String(input));
        return jsonResponse(403, {});
      },
    });
    return { ...ran, requested };
  };

  it('gives the base URL; --url and CLAIMS_URL precede it', async () => {
    const config = '{"url": "https://configured.test"}\n';
    for (const CLAIMS_URL of [undefined, ''])
      expect((await whoami(config, 0o644, [], { CLAIMS_URL })).requested).toEqual([
        'https://configured.test/v1/me',
      ]);
    const { requested } = await whoami(config, 0o644, ['--url', 'http://given.test']);
    expect(requested).toEqual(['http://given.test/v1/me']);
    expect((await whoami(config, 0o644, [], url)).requested).toEqual(['http://service.test/v1/me']);
    expect((await whoami(config, 0o644, ['--url', 'x:y'], url)).stderr).toContain('--url must be an http');
  });

  it.each([
    ['{"url": "claims"}', 0o600, 'config.json must be an http or https URL, not "claims"'],
    ['url: x', 0o600, 'is not JSON'],
    ['{"url": "http://x.test", "api_key": "svc_test_secret"}', 0o600, 'an object with url only'],
    ['null', 0o600, 'an object with url only'],
    ['{"link": "http://x.test"}', 0o600, 'an object with url only'],
    ['{"url": ["http://x.test"]}', 0o600, 'an object with url only'],
    ...['0666', '0620', '0602'].map((mode): [string, number, string] => [
      ...(['{"url": "http://x.test"}', Number.parseInt(mode, 8)] as const),
      `has mode ${mode}, so other users can change it`,
    ]),
  ])('is rejected if it is %s with mode %d', async (text, mode, message) => {
    const { code, stderr, requested } = await whoami(text, mode);
    expect([code, requested]).toEqual([2, []]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('svc_test_secret');
  });
});

describe('a journal', () => {
  const input = () => join(folder, 'claims.jsonl');
  const sendWith = (service: Service) => claims(['send', input(), '--journal'], { service, env });
  const posts = (requests: readonly { method: string }[]) =>
    requests.filter(({ method }) => method === 'POST').length;

  it('lets the next run skip what was sent', async () => {
    const fake = createFakeService();
    await writeFile(input(), `${claimLine(1)}\n${claimLine(2)}\n`);
    expect(await sendWith(fake.service)).toMatchObject({ code: 0 });
    await appendFile(input(), `${claimLine(3)}\n`);
    const again = await sendWith(fake.service);
    expect(again.stdout).toContain('1 sent, 2 already sent');
    expect(again.stdout).toContain(idOf(1));
    // A line that is repeated is in it once, and an address may end with a slash.
    await appendFile(input(), `${claimLine(3)}\n`);
    const { stdout } = await claims(['send', input(), '--journal'], {
      ...{ service: fake.service, env: { ...env, CLAIMS_URL: 'http://service.test/' } },
    });
    expect(stdout).toContain('0 sent, 4 already sent');
    expect(posts(fake.requests)).toBe(3);
    expect((await stat(`${input()}.journal`)).mode & 0o777).toBe(0o600);
  });

  it('contains no claim data except ids', async () => {
    const { service } = createFakeService();
    await writeFile(input(), `${claimLine(1)}\n${claimLine(1)}`);
    await sendWith(service);
    const entry = JSON.parse(await readFile(`${input()}.journal`, 'utf8'));
    expect(Object.keys(entry)).toEqual(['account', 'key', 'id']);
    expect(JSON.stringify(entry)).not.toMatch(/EXT-1|CN-1|Gulf Shore/);
  });

  it.each([
    ['environment', 'live', idOf(0), url.CLAIMS_URL],
    ['firm', 'test', idOf(9), url.CLAIMS_URL],
    ['service', 'test', idOf(0), 'http://other.test'],
  ])('of one %s does not affect another', async (_, environment, firm, address) => {
    const [one, other] = [createFakeService(), createFakeService()];
    await writeFile(input(), claimLine(1));
    await sendWith(one.service);
    const me = { key: { id: 'k', environment }, firm: { id: firm, name: 'F' }, scopes: [] };
    const { stdout } = await claims(['send', input(), '--journal'], {
      service: (request) => (request.path === '/v1/me' ? jsonResponse(200, me) : other.service(request)),
      env: { ...env, CLAIMS_URL: address },
    });
    expect(stdout).toContain('1 sent');
    expect(other.held.size).toBe(1);
  });

  it('truncated by a crash is read up to there and continued', async () => {
    const fake = createFakeService();
    await writeFile(input(), `${claimLine(1)}\n${claimLine(2)}\n`);
    await sendWith(fake.service);
    const journal = await readFile(`${input()}.journal`, 'utf8');
    await writeFile(`${input()}.journal`, journal.slice(0, -20));
    expect((await sendWith(fake.service)).stdout).toContain('2 already sent');
    expect(posts(fake.requests)).toBe(3);
    await sendWith(fake.service);
    expect(posts(fake.requests)).toBe(3);
  });

  it('is not created without --journal', async () => {
    await writeFile(input(), claimLine(1));
    await claims(['send', input()], { service: createFakeService().service, env });
    await expect(stat(`${input()}.journal`)).rejects.toThrow('ENOENT');
  });

  it('is not begun after Ctrl-C', async () => {
    const { service, requests } = createFakeService();
    await writeFile(input(), claimLine(1));
    const signal = AbortSignal.abort();
    const { code } = await claims(['send', input(), '--journal'], { service, env, signal });
    expect([code, requests]).toEqual([130, []]);
  });
});

describe('the state of a watch', () => {
  it('lets the next run continue where this one stopped', async () => {
    const state = join(folder, 'state.json');
    const change = (n: number) => claimJson({ id: idOf(n), updated_at: `2026-08-29T14:00:0${n}.000Z` });
    const watch = (...data: unknown[]) => watchOnce(state, ...data);
    expect(await watch(change(1), change(2))).toEqual({ ids: [1, 2], since: '2026-08-28T15:00:00.000Z' });
    expect(await watch(change(1), change(2), change(3))).toEqual({
      ids: [3],
      since: '2026-08-29T13:59:02.000Z',
    });
    expect((await stat(state)).mode & 0o777).toBe(0o600);
    await writeFile(state, 'not a position');
    expect(await claims(['watch', '--state', state], { env })).toMatchObject({ code: 2 });
    await writeFile(state, Buffer.from([0xff]));
    const stderr = async (file: string) => (await claims(['watch', '--state', file], { env })).stderr;
    expect([await stderr(state), await stderr(folder)]).toEqual([
      `claims: ${state} is neither UTF-8 nor UTF-16\n`,
      `claims: ${folder} cannot be read: EISDIR\n`,
    ]);
  });
});
