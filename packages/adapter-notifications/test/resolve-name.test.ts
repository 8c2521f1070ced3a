import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { createResolveName } from '../src/index.ts';
import { startNameServer } from './name-server.ts';

test('names of the hosts file, and those that are always of this machine, are resolved without a name server', async () => {
  const hostsFile = join(temporaryFolder(), 'hosts');
  const many = Array.from({ length: 5 }, (_, n) => `10.0.0.${n} many.example`);
  writeFileSync(
    hostsFile,
    [
      '# 10.0.0.9 two.example',
      '127.0.0.1  localhost',
      '  10.0.0.1\tone.example one-more.example # three.example ',
      'name.example two.example',
      'fd00::2 two.example',
      '10.0.0.2 two.example',
      ...many,
      '10.0.1.1 localhost.example',
    ].join('\n'),
  );
  const nameServer = await startNameServer(new Map());
  const resolveName = createResolveName([nameServer.address], hostsFile);
  const resolved = async (name: string) =>
    (await resolveName(name, AbortSignal.timeout(5000))).map(({ address, family }) => `${family} ${address}`);
  const names = [
    'localhost',
    'a.localhost',
    'one.example',
    'one-more.example',
    'two.example',
    'many.example',
    'localhost.example',
    'three.example',
  ];
  expect(await Promise.all(names.map(resolved))).toEqual([
    ['4 127.0.0.1', '6 ::1'],
    ['4 127.0.0.1', '6 ::1'],
    ['4 10.0.0.1'],
    ['4 10.0.0.1'],
    ['6 fd00::2', '4 10.0.0.2'],
    [0, 1, 2, 3].map((n) => `4 10.0.0.${n}`),
    ['4 10.0.1.1'],
    [],
  ]);
  expect(new Set(nameServer.asked)).toEqual(new Set(['three.example']));
});
