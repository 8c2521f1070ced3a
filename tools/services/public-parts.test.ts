import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What any release of a dependency may change. Public parts have a name in its documentation. */
const PRIVATE_PARTS: readonly RegExp[] = [
  // Includes zod's `_zod`, and tables such as `_private_jobs`.
  /(?<=[\w)\]>]\??)\._[a-z]\w*/gi,
  /\b(?:Object|Reflect)\.setPrototypeOf\b/g,
  /\bReflect\.(?:set|construct|defineProperty)\b/g,
  /\b(?:AsyncLocalStorage|IncomingMessage|ServerResponse|Query|Client|Pool)\.prototype\b/g,
  /\.driver\b[^;\n]*\.master\b/g,
  /\bpg\.Query\b/g,
  /\bas unknown as \{ connection\b/g,
  /\b(?:parsedStatements|submittedNamedStatements)\b/g,
  /\bapp\.(?:request|response)\b/g,
  /\bruntime\.(?:registries|leaveTestCode)\b/g,
];

const privatePartsIn = (text: string): string[] =>
  PRIVATE_PARTS.flatMap((part) => [...text.matchAll(part)].map(([found]) => found));

const sources = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && existsSync(join(ROOT, path)));

test('only documented parts of node and of dependencies are used', () => {
  const found = sources
    .filter((path) => !import.meta.url.endsWith(path))
    .map((path) => [path, ...privatePartsIn(readFileSync(join(ROOT, path), 'utf8'))])
    .filter(([, ...parts]) => parts.length > 0);
  expect(found).toEqual([]);
});

test.each([
  ['schema._zod.def', '._zod'],
  ['this._result.rows', '._result'],
  ['connect()?._handle', '._handle'],
  ['INSERT INTO queue._private_jobs', '._private_jobs'],
  ['Object.setPrototypeOf(request, app.request)', 'Object.setPrototypeOf', 'app.request'],
  ["Reflect.set(Pool.prototype, 'query', query)", 'Reflect.set', 'Pool.prototype'],
  ['const { run } = AsyncLocalStorage.prototype', 'AsyncLocalStorage.prototype'],
  ['(dataSource.driver as PostgresDriver).master', '.driver as PostgresDriver).master'],
  ['class Batch extends pg.Query', 'pg.Query'],
  ['delete connection.parsedStatements[name]', 'parsedStatements'],
  ['(client as unknown as { connection: Connection })', 'as unknown as { connection'],
  ['runtime.registries.moduleRegistry = loaded', 'runtime.registries'],
])('%s is found', (text, ...parts) => {
  expect(privatePartsIn(text).sort()).toEqual(parts.sort());
});
