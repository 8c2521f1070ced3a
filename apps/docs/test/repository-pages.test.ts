import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Pages for readers of the repository, relative to its root. The guides are checked by the site's build. */
const PAGES = ['', 'docs', 'docs/decisions', 'docs/operating', 'docs/security']
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );

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

it('the readme has no line of more than 120 characters', () => {
  const lines = readText('README.md').split('\n');
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

describe('decisions', () => {
  const names = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d/.test(name));

  it('are numbered without gaps, and the index has each with its title', () => {
    const index = readText('docs/decisions/README.md');
    const listed = [...index.matchAll(/^- \[(.*)\]\((.*)\)$/gm)].map(([, title, name]) => [name, title]);
    const titles = names.map((name) => [name, /^# (.*)$/m.exec(readText(`docs/decisions/${name}`))?.[1]]);
    expect(listed).toEqual(titles);
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, position) => position + 1));
  });

  it('have a status, a date, context, decision and consequences, in 250 words', () => {
    const wrong = names.filter((name) => {
      const text = readText(`docs/decisions/${name}`);
      const [title = '', status = ''] = text.split('\n\n');
      return !(
        title.startsWith(`# ${Number(name.slice(0, 4))}. `) &&
        /^(Accepted|Superseded by \[\d+\]\(.*\)) · \d{4}-\d\d-\d\d · \S/.test(status) &&
        text.match(/^\*\*\w+\.\*\*/gm)?.join() === '**Context.**,**Decision.**,**Consequences.**' &&
        text.split(/\s+/).length <= 250
      );
    });
    expect(wrong).toEqual([]);
  });
});
