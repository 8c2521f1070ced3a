import { expect, test } from '@jest/globals';
import { urlsOfServers } from '../src/driver/servers.ts';

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
