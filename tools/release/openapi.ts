// `npx pnpm test:generators`: runs code generators and linters from npm on the OpenAPI documents and compiles the results.
// The tools are installed in a temporary folder: together they are larger than the dependencies of the workspace.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { openApiDocument } from '@svc/contract';
import pc from 'picocolors';

const TOOLS = [
  'openapi-typescript@7.13.0',
  '@hey-api/openapi-ts@0.95.0',
  'openapi-zod-client@1.18.3',
  'swagger-typescript-api@13.13.0',
  'openapi-typescript-codegen@0.31.0',
  'oazapfts@7.5.0',
  'orval@7.13.2',
  '@kubb/cli@4.39.3',
  '@kubb/core@4.39.3',
  '@kubb/plugin-oas@4.39.3',
  '@kubb/plugin-ts@4.39.3',
  'quicktype@26.0.0',
  '@stoplight/spectral-cli@6.16.3',
  '@redocly/cli@2.77.0',
  // What generated code imports, and the compiler that the generators support.
  '@zodios/core@10.9.6',
  'zod@3.25.76',
  'axios@1.21.1',
  'form-data@4.0.6',
  'typescript@5.9.3',
  '@types/node@20.19.43',
];

interface Check {
  readonly name: string;
  /** Run in the folder of the tools. */
  readonly command: string;
  /** The generated module to compile with --strict, in `{out}`. */
  readonly compile?: string;
  /** The generated model to keep, in `{out}`. */
  readonly model?: string;
}

/** `{doc}` is the document, `{out}` the folder for the results. */
const CHECKS: readonly Check[] = [
  { name: 'Spectral', command: 'spectral lint {doc} --fail-severity hint -r spectral.yaml' },
  { name: 'Redocly', command: 'redocly lint {doc} --extends=recommended-strict' },
  { name: 'openapi-typescript', command: 'openapi-typescript {doc} -o {out}/types.ts', compile: 'types.ts' },
  {
    name: '@hey-api/openapi-ts',
    command: 'openapi-ts -i {doc} -o {out} -c @hey-api/client-fetch',
    compile: 'index.ts',
  },
  {
    name: 'openapi-zod-client',
    command: 'openapi-zod-client {doc} -o {out}/client.ts',
    compile: 'client.ts',
  },
  {
    name: 'swagger-typescript-api',
    command: 'swagger-typescript-api generate -p {doc} -o {out} -n api.ts',
    compile: 'api.ts',
  },
  {
    name: 'openapi-typescript-codegen',
    command: 'node node_modules/openapi-typescript-codegen/bin/index.js --input {doc} --output {out}',
    compile: 'index.ts',
  },
  { name: 'oazapfts', command: 'oazapfts {doc} {out}/client.ts', compile: 'client.ts' },
  {
    name: 'orval',
    command: 'orval --client fetch --input {doc} --output {out}/client.ts',
    compile: 'client.ts',
  },
  { name: 'kubb', command: 'kubb generate --config kubb-{doc}.mjs', compile: 'index.ts' },
  ...['csharp', 'java', 'python'].map((language) => ({
    name: `quicktype, ${language}`,
    command: `quicktype -s schema --src {doc}#/components/schemas/ -l ${language} -o {out}/Models.${language}`,
    model: language === 'java' ? 'Problem.java' : `Models.${language}`,
  })),
];

const folder = mkdtempSync(join(tmpdir(), 'openapi-tools-'));
const run = (command: readonly string[]) => {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      CI: 'true',
      NODE_OPTIONS: '',
      PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
    },
  });
  return { ok: status === 0, output: `${stdout}${stderr}${error?.message ?? ''}`.trim() };
};

const STRICT =
  'tsc --noEmit --strict --skipLibCheck --target es2022 --lib es2023,dom,dom.iterable --module esnext --moduleResolution bundler --allowImportingTsExtensions --types node'.split(
    ' ',
  );

let failed = 0;
try {
  console.log(pc.dim(`Installing ${TOOLS.length} packages in ${folder} …`));
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const installed = run(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...TOOLS]);
  if (!installed.ok) throw new Error(`npm install failed:\n${installed.output}`);
  writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
  const addresses = {
    baseUrl: 'https://claims.svc.test',
    docsUrl: 'https://claims.svc.test/docs',
    version: '1.0.0',
    supportEmail: 'support@claims.svc.test',
  };
  for (const api of ['firm', 'app'] as const) {
    for (const openapi of ['3.1', '3.0'] as const) {
      const document = `${api}-${openapi}.json`;
      writeFileSync(
        join(folder, document),
        JSON.stringify(openApiDocument(addresses, { api, openapi }), null, 2),
      );
      console.log(`\n${document}`);
      for (const [index, { name, command, compile, model }] of CHECKS.entries()) {
        const out = join('out', document, String(index));
        mkdirSync(join(folder, out), { recursive: true });
        if (name === 'kubb') writeFileSync(join(folder, `kubb-${document}.mjs`), kubbConfig(document, out));
        const generated = run(command.replaceAll('{doc}', document).replaceAll('{out}', out).split(' '));
        const result =
          generated.ok && compile !== undefined ? run([...STRICT, join(out, compile)]) : generated;
        const ok = result.ok && (model === undefined || existsSync(join(folder, out, model)));
        if (!ok) failed += 1;
        const outcome =
          compile !== undefined
            ? 'compiles with --strict'
            : model !== undefined
              ? 'generated'
              : 'reports nothing';
        console.log(
          ok
            ? `  ${pc.green('✓')} ${name}: ${outcome}`
            : `  ${pc.red('✗')} ${name}\n${result.output.slice(-2000)}`,
        );
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

function kubbConfig(document: string, out: string): string {
  return `import { defineConfig } from '@kubb/core';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({
  root: '.',
  input: { path: ${JSON.stringify(document)} },
  output: { path: ${JSON.stringify(out)}, clean: false },
  plugins: [pluginOas(), pluginTs()],
});
`;
}
