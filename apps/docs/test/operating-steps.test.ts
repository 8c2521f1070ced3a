import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../../docs/operating/${name}.md`, import.meta.url), 'utf8');

/** The links that a page's commands make, with another folder in the place of `/srv`; a clone only makes its folder. */
function runLinks(page: string, srv: string): void {
  const block = page.match(/```\n([^`]*ln -s\w+ \/srv\/[^`]*)```/)?.[1] ?? '';
  for (const [, command = ''] of block.matchAll(/^(git clone [^&\n]*|ln -s[^&\n]*)/gm)) {
    const words = command.trim().replaceAll('/srv', srv).split(' ');
    if (words[0] === 'git') mkdirSync(words.at(-1) ?? '');
    else execFileSync('ln', words.slice(1), { stdio: 'pipe' });
  }
}

it('after the steps to deploy and to upgrade, the unit runs the new release, and never the old one from a folder', () => {
  const srv = temporaryFolder();
  const current = join(srv, 'claim-assignment');
  runLinks(pageOf('deploy'), srv);
  expect(readlinkSync(current)).toBe(join(srv, 'claim-assignment-v0.1.0'));
  runLinks(pageOf('upgrade'), srv);
  expect(readlinkSync(current)).toBe(join(srv, 'claim-assignment-v0.2.0'));

  rmSync(current);
  rmSync(join(srv, 'claim-assignment-v0.2.0'), { recursive: true });
  mkdirSync(current);
  expect(() => runLinks(pageOf('upgrade'), srv)).toThrow('cannot overwrite directory');
  expect(existsSync(join(current, 'claim-assignment-v0.2.0'))).toBe(false);
});
