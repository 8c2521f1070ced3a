import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument } from '@svc/contract';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';

// Checks the interface documents with a linter, which validates their examples, and a code generator.
// `npx pnpm test:generators` runs more generators, which are not dependencies of this workspace.

const addresses = {
  baseUrl: 'https://claims.svc.test',
  docsUrl: 'https://claims.svc.test/docs',
  version: '1.0.0',
  supportEmail: 'support@claims.svc.test',
};
const document = openApiDocument(addresses);
const document30 = openApiDocument(addresses, { openapi: '3.0' });
const resolve = createRequire(import.meta.url).resolve;

let folder: string;
let file: string;
beforeAll(() => {
  folder = temporaryFolder();
  file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
});

const run = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', CI: 'true' },
  });
  return { status, output: `${stdout}${stderr}` };
};

/** Type-checks generated code with strict settings. */
const compiles = (source: string) =>
  run(
    join(dirname(resolve('typescript/package.json')), 'bin/tsc'),
    ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'],
    ...['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions'],
    ...['--types', '', source],
  );

test('the linter reports nothing, with its recommended and stricter rules', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-invalid-media-type-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'operation-4xx-response': 'error',
      'operation-description': 'error',
      'operation-operationId': 'error',
      'operation-operationId-unique': 'error',
      'operation-tag-defined': 'error',
      'parameter-description': 'error',
      'path-parameters-defined': 'error',
      'security-defined': 'error',
      'tag-description': 'error',
      'no-unused-components': 'error',
    },
  });
  const documents = [document, document30, openApiDocument(addresses, { api: 'app' })];
  const output: string[] = [];
  for (const one of documents) {
    const found = await lintFromString({ source: JSON.stringify(one), absoluteRef: file, config });
    for (const { ruleId, message, location } of found)
      output.push(`${ruleId} at ${location[0]?.pointer}: ${message}`);
  }
  expect(output).toEqual([]);
});

test('openapi-typescript generates types that compile', () => {
  const cli = join(dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js');
  expect(run(cli, file, '--output', join(folder, 'types.ts'))).toMatchObject({ status: 0 });
  const made = readFileSync(join(folder, 'types.ts'), 'utf8');
  expect(made).toMatch(/sendClaim: \{/);
  const use = join(folder, 'use.ts');
  writeFileSync(
    use,
    `import type { components, operations } from './types.ts';
type Claim = components['schemas']['Claim'];
type Building = components['schemas']['BuildingInput'];
type Sent = operations['sendClaim']['responses'][201]['content']['application/json'];
export const statusOf = (claim: Claim): string => claim.assignment.status;
export const sameThing: (sent: Sent) => Claim = (sent) => sent;
export const body: operations['sendClaim']['requestBody']['content']['application/json'] = {
  external_id: 'X', claim_number: 'Y', adjuster_svc_id: 'Z', loss: { date: '2026-08-27' }, policy: { number: '1' },
  carrier: { name: 'C' }, loss_location: { street: 's', city: 'c', state: 'FL', zip: '33957' },
  policyholder: { company_name: 'P', phone: '1' },
};
// @ts-expect-error: the zones of a request are closed
export const unknownZone: Building = { flood_zone: 'AX' };
export const zoneOfResponse: components['schemas']['Building'] = { flood_zone: 'AX' };
`,
  );
  expect(compiles(use)).toEqual({ status: 0, output: '' });
});
