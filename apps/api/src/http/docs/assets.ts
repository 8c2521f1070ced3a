import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** As far from the built file as from its source. */
const FOLDER = fileURLToPath(new URL('../../../assets/docs/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

export type Coding = 'br' | 'gzip';

/** Something to be served: held in memory, packed at most once for each coding. */
export interface Content {
  readonly type: string;
  /** Changes with the content. */
  readonly tag: string;
  bytes(coding: Coding | null): Promise<Buffer>;
}

export const packers: Readonly<Record<Coding, (plain: Buffer | string) => Promise<Buffer>>> = {
  // Quality 5 packs as small as gzip's best in a fraction of the time: it is done while somebody waits.
  br: (plain) => promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (plain) => promisify(gzip)(plain),
};

export function contentOf(name: string, plain: Buffer | string): Content {
  const bytes = Buffer.from(plain);
  const packed = new Map<Coding, Promise<Buffer>>();
  return {
    type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
    async bytes(coding) {
      if (coding === null) return bytes;
      const ready = packed.get(coding) ?? packers[coding](bytes);
      packed.set(coding, ready);
      return ready;
    },
  };
}

const OWN = ['docs.css', 'docs.js', 'frame.css', 'icon.svg', 'reference.js', 'theme.js'] as const;

/** The renderer of the reference, as the one file that its makers bundle for browsers. */
const scalar = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@scalar/api-reference')), 'browser/standalone.js');

export function readAssets(): ReadonlyMap<string, Content> {
  const read = (name: string, path: string): [string, Content] => [name, contentOf(name, readFileSync(path))];
  return new Map([...OWN.map((name) => read(name, join(FOLDER, name))), read('scalar.js', scalar())]);
}
