import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

/** The API that `vite dev` passes requests on to. */
const API = process.env.API_URL ?? 'http://localhost:3000';
const API_PATHS = '^/app/(v1/|sessions?$|events$|sign-in-codes$|passkey-options$|push-key$)';

const { version: VERSION } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

type Graph = { getModuleInfo(id: string): { isEntry: boolean; importers: readonly string[] } | null };

/** Whether a module is loaded with the page: other files reach it only through `import()`. */
function createFirstLoad() {
  const known = new Map<string, boolean>();
  return function isFirst(id: string, graph: Graph): boolean {
    const found = known.get(id);
    if (found !== undefined) return found;
    known.set(id, false); // ends a cycle
    const info = graph.getModuleInfo(id);
    const result =
      info !== null && (info.isEntry || info.importers.some((importer) => isFirst(importer, graph)));
    known.set(id, result);
    return result;
  };
}

const isFirst = createFirstLoad();

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: command === 'serve' ? '/app/' : './',
  logLevel: command === 'serve' ? 'info' : 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { conditions: ['source', 'module', 'browser', 'import', 'default'] },
  define: { __APP_VERSION__: JSON.stringify(VERSION) },
  server: { proxy: { [API_PATHS]: API } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // What the first screens need is one file: many small ones compress worse.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { debugName: 'first', name: (id: string, graph: Graph) => (isFirst(id, graph) ? 'first' : null) },
          ],
        },
      },
    },
  },
}));
