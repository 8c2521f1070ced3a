import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A small workspace with the same folders; most files import something that their rule forbids. */
const PLANTED = {
  'packages/domain/src/claim.ts': 'export const claim = 1;',
  'packages/domain/src/clock.ts':
    "import { readFileSync } from 'node:fs';\nexport const clock = readFileSync;",
  'packages/application/src/send.ts':
    "import type { Wire } from '../../contract/src/wire.ts';\nexport type Send = Wire;",
  'packages/contract/src/wire.ts':
    "import { claim } from '../../domain/src/claim.ts';\nexport type Wire = typeof claim;",
  'packages/adapter-postgres/src/store.ts': 'export const store = 1;',
  'packages/adapter-redis/src/limiter.ts':
    "import { store } from '../../adapter-postgres/src/store.ts';\nexport const limiter = store;",
  'apps/api/src/http/routes/route.ts':
    "import { store } from '../../../../../packages/adapter-postgres/src/store.ts';\nexport const route = store;",
  'apps/api/src/service.ts':
    "import { limiter } from '../../../packages/adapter-redis/src/limiter.ts';\nexport const service = limiter;",
  'apps/adjuster/src/page.ts':
    "import { client } from '../../../packages/client/src/client.ts';\nexport const page = client;",
  'apps/api/src/one.ts': "import { two } from './two.ts';\nexport const one = two;",
  'apps/api/src/two.ts': "import { one } from './one.ts';\nexport const two = one;",
  'packages/client/src/client.ts':
    "import { people } from '../../../tools/generate/people.ts';\nexport const client = people;",
  'packages/client/test/three.ts': "import { four } from './four.ts';\nexport const three = four;",
  'packages/client/test/four.ts': "import { three } from './three.ts';\nexport const four = three;",
  'tools/generate/people.ts': 'export const people = 1;',
  'tools/generate/claim.ts': "import { run } from '../chaos/run.ts';\nexport const claim = run;",
  'tools/chaos/run.ts':
    "import { route } from '../../apps/api/src/http/routes/route.ts';\nexport const run = route;",
  'tools/bench/one.ts': "import type { two } from './two.ts';\nexport const one: typeof two = 1;",
  'tools/bench/two.ts': "import type { one } from './one.ts';\nexport const two: typeof one = 1;",
};

let workspace: string;
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'walls-'));
  for (const [path, text] of Object.entries(PLANTED)) {
    mkdirSync(join(workspace, dirname(path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  writeFileSync(join(workspace, 'tsconfig.json'), '{ "compilerOptions": { "module": "NodeNext" } }');
});
afterAll(() => rmSync(workspace, { recursive: true }));

test('every dependency rule reports a planted violation', () => {
  const run = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...[
        '--config',
        join(ROOT, '.dependency-cruiser.cjs'),
        '--output-type',
        'json',
        'packages',
        'apps',
        'tools',
      ],
    ],
    { cwd: workspace, encoding: 'utf8' },
  );
  const { summary } = JSON.parse(run.stdout) as {
    summary: { violations: { from: string; rule: { name: string } }[] };
  };
  const found = summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`).sort();
  expect([...new Set(found)]).toEqual([
    'apps/adjuster/src/page.ts: adjuster reaches only what it may',
    'apps/api/src/http/routes/route.ts: http reaches only what it may',
    'apps/api/src/http/routes/route.ts: only the composition root imports adapters and Inversify',
    'apps/api/src/one.ts: no cycles',
    'apps/api/src/service.ts: only the composition root imports adapters and Inversify',
    'packages/adapter-redis/src/limiter.ts: adapter-redis reaches only what it may',
    'packages/application/src/send.ts: application reaches only what it may',
    'packages/client/src/client.ts: client reaches only what it may',
    'packages/client/src/client.ts: the product stays out of tools',
    'packages/client/test/four.ts: no cycles',
    'packages/contract/src/wire.ts: contract reaches only what it may',
    'packages/domain/src/clock.ts: domain reaches only what it may',
    'tools/bench/one.ts: no cycles',
    'tools/chaos/run.ts: tools/chaos reaches only what it may',
    'tools/generate/claim.ts: tools/generate reaches only what it may',
  ]);
});
