import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLACEHOLDERS } from './addresses.ts';
import { changelogFeed } from './changelog.ts';
import { postmanCollection } from './collection.ts';
import { inlineHashes } from './inline-hashes.ts';
import { asMarkdown, llmsTxt } from './markdown.ts';
import { PACKED_FOLDER, packages } from './packages.ts';
import { PAGES } from './pages.ts';
import { fillPlaceholders } from './values.ts';

// Builds the site into dist/site: the guides and the generated reference, as HTML and Markdown. It runs at every start,
// so it does nothing if its input has not changed.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUIDES = join(ROOT, '../../docs/guides');
const PAGES_FOLDER = join(ROOT, 'dist/pages');
const SITE_FOLDER = join(ROOT, 'dist/site');
const MANIFEST = join(ROOT, 'dist/site.json');

const sources = new Map(
  PAGES.map(({ name }) => [
    `${name}.md`,
    fillPlaceholders(readFileSync(join(GUIDES, `${name}.md`), 'utf8'), PLACEHOLDERS),
  ]),
);
const version = digestOfInput();
if (!existsSync(MANIFEST) || JSON.parse(readFileSync(MANIFEST, 'utf8')).version !== version) {
  rmSync(join(ROOT, 'dist/site.json'), { force: true });
  rmSync(PAGES_FOLDER, { recursive: true, force: true });
  for (const [name, text] of sources) write(join(PAGES_FOLDER, name), text);
  const { build } = await import('vitepress');
  await build(ROOT);
  for (const [name, text] of sources) write(join(SITE_FOLDER, name), asMarkdown(name, text, PLACEHOLDERS));
  write(join(SITE_FOLDER, 'llms.txt'), llmsTxt(PLACEHOLDERS));
  write(join(SITE_FOLDER, 'changelog.xml'), changelogFeed(PLACEHOLDERS));
  for (const { file } of packages())
    copyFileSync(join(PACKED_FOLDER, file), join(SITE_FOLDER, 'packages', file));
  const checksums = packages().map(({ sha256, file }) => `${sha256}  ${file}\n`);
  write(join(SITE_FOLDER, 'postman.json'), postmanCollection(PLACEHOLDERS));
  write(join(SITE_FOLDER, 'packages/SHA256SUMS.txt'), checksums.join(''));
  write(MANIFEST, JSON.stringify({ version, placeholders: PLACEHOLDERS, ...inlineHashes(htmlPages()) }));
}

function digestOfInput(): string {
  const hash = createHash('sha256').update(JSON.stringify([...sources]));
  const files = ['.vitepress', 'public', 'src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files.sort(), join(ROOT, '../../pnpm-lock.yaml')]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function htmlPages(): string[] {
  return readdirSync(SITE_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => readFileSync(join(SITE_FOLDER, name), 'utf8'));
}
