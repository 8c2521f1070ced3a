import { expect, test } from '@jest/globals';
import { reportServers, Servers, urlsOfServers } from '../src/driver/servers.ts';
import { SILENT } from '../src/log.ts';

test.each([
  ['postgres://u:p@one/claims', ['postgres://u:p@one/claims']],
  [
    'postgres://u:p@one:5432,two:5433/claims?target_session_attrs=read-write',
    ['postgres://u:p@one:5432/claims', 'postgres://u:p@two:5433/claims'],
  ],
  [
    'postgresql://one,[::1]:5433/claims?sslmode=verify-full&target_session_attrs=read-write&application_name=a',
    [
      'postgresql://one/claims?sslmode=verify-full&application_name=a',
      'postgresql://[::1]:5433/claims?sslmode=verify-full&application_name=a',
    ],
  ],
  ['postgres://u:p@ss@one,two/claims', ['postgres://u:p@ss@one/claims', 'postgres://u:p@ss@two/claims']],
  [
    'postgres://one/claims?sslmode=require&application_name=a',
    ['postgres://one/claims?sslmode=verify-full&application_name=a'],
  ],
  ...['prefer', 'verify-ca', 'verify-full'].map((mode): [string, string[]] => [
    `postgres://one/claims?a=b&sslmode=${mode}`,
    ['postgres://one/claims?a=b&sslmode=verify-full'],
  ]),
  ['postgres://one/claims?sslmode=disable', ['postgres://one/claims?sslmode=disable']],
  ['postgres://one/claims?target_session_attrs=any&a=b', ['postgres://one/claims?a=b']],
  [
    'postgres://one/claims?uselibpqcompat=true&sslmode=require',
    ['postgres://one/claims?uselibpqcompat=true&sslmode=require'],
  ],
  ['postgres:///claims?host=/run/postgresql', ['postgres:///claims?host=/run/postgresql']],
])('%s names these servers', (url, expected) => {
  expect(urlsOfServers(url)).toEqual(expected);
});

test.each<[codes: string, from: 'a file' | 'the environment', timeoutMs: number, end: readonly unknown[]]>([
  ['28P01 28000', 'a file', 10_000, [3, 'opened']],
  ['28000 3D000', 'a file', 10_000, [2, '3D000']],
  ['28P01', 'a file', 0, [1, '28P01']],
  ['28P01', 'the environment', 10_000, [1, '28P01']],
  ['ECONNREFUSED', 'a file', 10_000, [1, 'ECONNREFUSED']],
  ['57P01', 'a file', 10_000, [1, '57P01']],
])(
  'after %s, the only server is tried again where its URL is from %s, for %i ms',
  async (codes, from, timeoutMs, end) => {
    const url = 'postgres://u:p@one/claims';
    const servers = new Servers(from === 'a file' ? () => url : url, SILENT, timeoutMs);
    let attempts = 0;
    const opened = await servers
      .connect(async () => {
        const code = codes.split(' ')[attempts];
        attempts += 1;
        if (code !== undefined) throw Object.assign(new Error('rejected'), { code });
        return 'opened';
      })
      .catch((error) => error.code);
    expect([attempts, opened]).toEqual(end);
  },
);

test('a server without a port or a host is reported with the default ones, and with what is wrong', async () => {
  const problem = 'ENOENT: connect ENOENT /missing/.s.PGSQL.5432';
  expect(await reportServers('postgres:///claims?host=/missing')).toEqual([
    { server: 'localhost:5432', problem, isStandby: false },
  ]);
});

test('each connection has the credentials of its time', () => {
  let url = 'postgres://u:first@one,two/claims';
  const servers = new Servers(() => url, SILENT, 0);
  expect(servers.url()).toBe('postgres://u:first@one/claims');
  url = url.replace('first', 'second');
  expect(servers.url()).toBe('postgres://u:second@one/claims');
});
