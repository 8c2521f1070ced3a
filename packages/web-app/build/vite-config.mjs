import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, defineConfig } from 'vite';

/** The API that `vite dev` passes requests on to. */
const API = process.env.API_URL ?? 'http://localhost:3000';

/** It only names what other modules of its package export. */
const isIndex = (id) => /\/packages\/\w+\/src\/index\.ts$/.test(id);

/** Whether a module imports something that the other one exports, by its name. */
const uses = (id, { exports }, graph) =>
  [...(graph.getModuleInfo(id).code ?? '').matchAll(/import\s*\{([^}]*)\}/g)].some(([, names]) =>
    names.split(',').some((name) => exports.includes(name.trim().split(/\s/)[0])),
  );

/** Whether a module is loaded with the page: other files reach it only through `import()`. */
function createFirstLoad() {
  const known = new Map();
  return function isFirst(id, graph) {
    const found = known.get(id);
    if (found !== undefined) return found;
    known.set(id, false); // ends a cycle
    const info = graph.getModuleInfo(id);
    const result =
      info !== null &&
      (info.isEntry ||
        info.importers.some((importer) =>
          isIndex(importer)
            ? graph
                .getModuleInfo(importer)
                .importers.some((user) => uses(user, info, graph) && isFirst(user, graph))
            : isFirst(importer, graph),
        ));
    known.set(id, result);
    return result;
  };
}

const CONDITIONS = ['source', 'module', 'browser', 'import', 'default'];

/** The page's table of operations is computed here, so that the page does not contain the schemas of the contract. */
const computedRoutes = {
  name: 'computed-routes',
  async load(id) {
    if (!/\/apps\/\w+\/src\/(data\/)?endpoints\.ts$/.test(id)) return null;
    const { output } = await build({
      configFile: false,
      logLevel: 'warn',
      resolve: { conditions: CONDITIONS },
      ssr: { noExternal: true, resolve: { conditions: CONDITIONS } },
      build: { ssr: id, write: false },
    });
    const { ROUTES } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
    return `export const ROUTES = ${JSON.stringify(ROUTES)};`;
  },
};

/**
 * @param {string} here the folder of the app
 * @param {string} path where the service serves the page
 * @param {string} apiPaths a pattern of the paths that `vite dev` passes on
 * @param {boolean} [hasWorker] whether a service worker stores all files, so that the page need not know which of them belong together
 */
export function viteConfig(here, path, apiPaths, hasWorker = false) {
  const isFirst = createFirstLoad();
  const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  return defineConfig(({ command }) => ({
    root: here,
    base: command === 'serve' ? `${path}/` : './',
    logLevel: command === 'serve' ? 'info' : 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [computedRoutes],
    resolve: { conditions: CONDITIONS },
    define: { __APP_VERSION__: JSON.stringify(version) },
    server: { proxy: { [apiPaths]: API } },
    build: {
      target: 'es2022',
      modulePreload: hasWorker ? false : { polyfill: false },
      assetsInlineLimit: 0,
      // What the first screens need is one file: many small ones compress worse.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [{ debugName: 'first', name: (id, graph) => (isFirst(id, graph) ? 'first' : null) }],
          },
        },
      },
    },
  }));
}
