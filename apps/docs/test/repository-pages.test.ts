import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const foldersOf = (parent: string): string[] =>
  readdirSync(join(ROOT, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => join(parent, name));

const filesLike = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', pattern], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));

/** Every page of the repository but the guides, which the site's build checks. */
const PAGES = filesLike('*.md').filter((path) => !path.startsWith('docs/guides/'));

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (path: string): string[] =>
  [...readText(path).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

it('every link to a file or a heading of the repository has a target', () => {
  const broken = PAGES.flatMap((page) =>
    [...readText(page).matchAll(/(?:\]\(|src=")([^)"\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(ROOT, file))) return true;
        return anchor !== undefined && !anchorsOf(file).includes(anchor);
      })
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it('every file and folder that a page names exists', () => {
  const missing = PAGES.flatMap((page) =>
    [...readText(page).matchAll(/`((?:apps|docker|docs|packages|tools)\/[\w./-]+)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !/(^|\/)dist(\/|$)/.test(path) && path !== 'docker/.env')
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it('the order of the tests names only test files that exist', () => {
  const named = readText('tools/services/longest-first.mjs').match(/(?<=^ {2}').*(?=',$)/gm);
  const tests = filesLike('*.test.ts');
  expect(named?.filter((part) => !tests.some((path) => path.includes(part)))).toEqual([]);
});

it('the drawing of the packages has the arrows of the dependency rules', () => {
  const { forbidden } = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as {
    forbidden: { name: string; from: { path?: string }; to: { pathNot?: string[] } }[];
  };
  const ROOM = /^\^(?:packages\/(adapter)-[^/]+|packages\/([a-z-]+)|apps\/(?:api\/src\/)?([a-z-]+))\//;
  const roomOf = (path: string): string | undefined => {
    const [, adapter, ...names] = ROOM.exec(path) ?? [];
    return adapter === undefined ? names.find((name) => name !== undefined) : 'adapters';
  };
  const allowed = forbidden
    .filter(({ name, from }) => name.endsWith('reaches only what it may') && roomOf(from.path ?? ''))
    .flatMap(({ from, to }) =>
      (to.pathNot ?? [])
        .filter((path) => !path.endsWith('$'))
        .map((path) => [roomOf(from.path ?? ''), roomOf(path)])
        .filter(([start, end]) => end !== undefined && end !== start)
        .map((pair) => pair.join(' --> ')),
    );
  const drawing = /```mermaid\n([^`]*)```/.exec(readText('docs/architecture.md'))?.[1] ?? '';
  const arrows = [...drawing.replace(/\[".*?"\]/g, '').matchAll(/^ +([\w-]+ --> [\w-]+)$/gm)].map(
    ([, arrow]) => arrow,
  );
  expect(arrows.toSorted()).toEqual([...new Set(allowed)].toSorted());
});

it('the architecture names every package and app, and contributing every tool and script', () => {
  const architecture = readText('docs/architecture.md');
  const packages = ['packages', 'apps']
    .flatMap(foldersOf)
    .filter((path) => existsSync(join(ROOT, path, 'package.json')));
  const named = (path: string): boolean =>
    architecture.includes(`\`${path.replace(/^packages\/adapter-.*/, 'packages/adapter-*')}\``);
  expect(packages.filter((path) => !named(path))).toEqual([]);

  const contributing = readText('CONTRIBUTING.md');
  const tools = /^Tools: ([^.]*)\./m.exec(contributing)?.[1]?.match(/[\w-]+/g);
  expect(tools?.map((name) => `tools/${name}`).toSorted()).toEqual(foldersOf('tools').toSorted());
  const scripts = [...contributing.matchAll(/^npx pnpm@\S+ (\S+)/gm)].map(([, script]) => script);
  const { scripts: defined } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  expect(scripts.toSorted()).toEqual(Object.keys(defined).toSorted());
});

it('every command that a page or a program names has the pnpm version of package.json', () => {
  const { packageManager } = JSON.parse(readText('package.json')) as { packageManager: string };
  const programs = ['apps/api/src/http/static/page-files.ts', 'apps/api/src/http/docs/pages.ts'];
  const texts = [...PAGES, ...programs, 'tools/cluster/main.ts'].map(readText);
  const named = new Set(texts.flatMap((text) => text.match(/(?<=npx )pnpm\S*/g) ?? []));
  expect([...named]).toEqual([packageManager]);
});

describe('decisions', () => {
  const names = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d/.test(name));

  it('have a number each, and the index has each with its title', () => {
    const index = readText('docs/decisions/README.md');
    const listed = [...index.matchAll(/^- \[(.*)\]\((.*)\)$/gm)].map(([, title, name]) => [name, title]);
    const titles = names.map((name) => [name, /^# (.*)$/m.exec(readText(`docs/decisions/${name}`))?.[1]]);
    expect(listed).toEqual(titles);
    expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
  });

  it('have a status, a date, context, decision and consequences, in 250 words', () => {
    const wrong = names.filter((name) => {
      const text = readText(`docs/decisions/${name}`);
      const [title = '', status = ''] = text.split('\n\n');
      return !(
        title.startsWith(`# ${Number(name.slice(0, 4))}. `) &&
        /^(Accepted|Superseded by \[\d+\]\(.*\)) · \d{4}-\d\d-\d\d$/.test(status) &&
        text.match(/^\*\*\w+\.\*\*/gm)?.join() === '**Context.**,**Decision.**,**Consequences.**' &&
        text.split(/\s+/).length <= 250
      );
    });
    expect(wrong).toEqual([]);
  });
});
