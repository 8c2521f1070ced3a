import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Content, contentOf } from '../static/compression.ts';

/** As far from the built file as from its source. */
const FOLDER = fileURLToPath(new URL('../../../assets/docs/', import.meta.url));

const OWN = ['docs.css', 'docs.js', 'frame.css', 'icon.svg', 'reference.js', 'theme.js'] as const;

/** The renderer of the reference, as the one file that its makers bundle for browsers. */
const scalar = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@scalar/api-reference')), 'browser/standalone.js');

export function readAssets(): ReadonlyMap<string, Content> {
  const read = (name: string, path: string): [string, Content] => [name, contentOf(name, readFileSync(path))];
  return new Map([...OWN.map((name) => read(name, join(FOLDER, name))), read('scalar.js', scalar())]);
}
