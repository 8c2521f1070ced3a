import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '@svc/domain';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import {
  addressOf,
  type Config,
  ConfigError,
  nodeWarning,
  readConfig,
  supportEmailOf,
  tlsModeNote,
} from '../src/config.ts';

const PUBLIC = Buffer.alloc(65, 4).toString('base64url');
const PRIVATE = Buffer.alloc(32, 7).toString('base64url');

test('an empty environment gives the default configuration with an embedded database', () => {
  expect(readConfig({}, false)).toEqual({
    port: 3000,
    host: '127.0.0.1',
    baseUrl: null,
    docsUrl: null,
    supportEmail: null,
    databaseUrl: null,
    migrationDatabaseUrl: null,
    dataDir: `${process.cwd()}/.data`,
    createsDemoFirm: true,
    redisUrls: [],
    rereadRedisUrls: null,
    trustProxy: false,
    logLevel: 'info',
    logFormat: 'json',
    dbPoolMax: 10,
    shutdownGraceMs: 10_000,
    dnsServers: [],
    metricsPort: null,
    tracing: null,
    smtpUrl: null,
    vapid: null,
    encryption: null,
    receiptKey: null,
    edgeLimitPerMinute: 600,
    sessionMaxDays: 180,
    closedClaimRetentionDays: null,
    passkeysRequired: false,
    sessionLimitPerMinute: 6000,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    responseTimeoutMs: 30_000,
  });
});

test('the page on configuration lists the variables that are read with their defaults, and no others', () => {
  const read = new Set(['SVC_OPERATOR']);
  const recording = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(recording, false);
  const page = readFileSync(new URL('../../../docs/operating/configure.md', import.meta.url), 'utf8');
  const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const rows = [...page.matchAll(/^\| (`[A-Z][^|]*) \|([^|]*)\|/gm)].map(([, names, defaults]) => ({
    names: codes(names),
    // Those that come from other variables are described in capitals.
    defaults: codes(defaults).filter((value) => !/[A-Z]{3}|@/.test(value)),
  }));
  expect(rows.flatMap(({ names }) => names).toSorted()).toEqual([...read].toSorted());
  const wrong = rows.flatMap(({ names, defaults }) =>
    names.filter((name, index) => {
      const value = defaults[index];
      return (
        value !== undefined && !isDeepStrictEqual(readConfig({ [name]: value }, false), readConfig({}, false))
      );
    }),
  );
  expect(wrong).toEqual([]);
  const [live, test] = [DEFAULT_LIMITS.live, DEFAULT_LIMITS.test];
  expect(page.replaceAll(/\s+/g, ' ')).toContain(
    `${live.requestsPerMinute} requests a minute, ${live.writesPerMinute} of them writes, ${live.burst} at once (test keys: ${test.requestsPerMinute}, ${test.writesPerMinute}, ${test.burst})`,
  );
});

test('each shipped way to deploy passes every secret of the service', () => {
  const secrets = 'DATABASE_URL ENCRYPTION_KEY RECEIPT_KEY REDIS_URL SMTP_URL VAPID_PRIVATE_KEY'.split(' ');
  const missing = [
    'compose.yaml',
    'kubernetes/claim-assignment.yaml',
    'systemd/claim-assignment.service',
  ].flatMap((name) => {
    const text = readFileSync(new URL(`../../../docker/${name}`, import.meta.url), 'utf8');
    return secrets.filter((secret) => !new RegExp(`\\b${secret}(_FILE)?[:=]`).test(text));
  });
  expect(missing).toEqual([]);
});

test('a version of Node without security fixes is warned of', () => {
  expect(nodeWarning('21.7.3')).toBe('Node 21.7.3 gets no security fixes: run the service on Node 22 or 24');
  expect(['22.12.0', '24.21.0'].map(nodeWarning)).toEqual([null, null]);
});

test('a mode of TLS that is checked more strictly than its name says is noted', () => {
  const noted = (databaseUrl: string) => tlsModeNote({ databaseUrl });
  expect(noted('postgres://h/db?sslmode=require')).toMatch(
    /^DATABASE_URL has sslmode=require, .*verify-full/,
  );
  for (const mode of ['prefer', 'verify-ca'])
    expect(tlsModeNote({ databaseUrl: () => `postgres://h/db?a=b&sslmode=${mode}&c=d` })).toContain(
      `=${mode},`,
    );
  const unnoted = ['disable', 'no-verify', 'verify-full', 'required'].map(
    (mode) => `postgres://h/db?sslmode=${mode}`,
  );
  expect([...unnoted.map(noted), tlsModeNote({ databaseUrl: null })]).toEqual(Array(5).fill(null));
  expect(noted('postgres://h/db?uselibpqcompat=true&sslmode=require')).toBeNull();
});

test('passkeys can be required where the site has a host name', () => {
  const read = (BASE_URL: string) => readConfig({ PASSKEYS: 'required', BASE_URL }, false).passkeysRequired;
  expect(read('https://claims.example.com')).toBe(true);
  expect(read('http://localhost:3000')).toBe(true);
  expect(readConfig({ PASSKEYS: 'required', HOST: 'claims.internal' }, false).passkeysRequired).toBe(true);
  for (const address of ['https://192.0.2.1', 'https://[2001:db8::1]:8443'])
    expect(() => read(address)).toThrow(ConfigError);
});

test('traces are recorded where an endpoint is set, one in a hundred unless sampling is configured', () => {
  const endpoint = 'http://collector:4318';
  const read = (env: Record<string, string>) =>
    readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, ...env }, false).tracing;
  expect(read({})).toEqual({
    endpoint,
    serviceName: 'claim-assignment-service',
    sampling: { sampler: 'parentbased_traceidratio', ratio: 0.01 },
  });
  expect(
    read({
      OTEL_SERVICE_NAME: 'claims',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '.5',
    }),
  ).toEqual({ endpoint, serviceName: 'claims', sampling: { sampler: 'traceidratio', ratio: 0.5 } });
});

test('every sampler may record any share of traces', () => {
  const kinds = ['always_on', 'always_off', 'traceidratio'];
  for (const sampler of [...kinds, ...kinds.map((kind) => `parentbased_${kind}`)])
    for (const ratio of ['0', '1', '0.25', '1.']) {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_SAMPLER: sampler };
      expect(readConfig({ ...env, OTEL_TRACES_SAMPLER_ARG: ratio }, false).tracing?.sampling).toEqual({
        ...{ sampler, ratio: Number(ratio) },
      });
    }
});

test('links lead to the public address, or to where the service listens; support to a name with a dot', () => {
  const base = 'https://claims.example.com/app';
  expect(addressOf(readConfig({ BASE_URL: base }, false))).toBe(base);
  expect(addressOf(readConfig({ HOST: 'here', PORT: '81' }, false))).toBe('http://here:81');
  const support = (url: string, supportEmail: string | null = null) => supportEmailOf({ supportEmail }, url);
  expect([support(base), support(base, 'help@x.example'), support('http://localhost:3000')]).toEqual([
    ...['support@claims.example.com', 'help@x.example', 'support@localhost.invalid'],
  ]);
  expect([support('http://192.0.2.1'), support('http://[2001:db8::1]')]).toEqual(
    Array(2).fill('support@localhost.invalid'),
  );
});

test('an empty variable counts as unset', () => {
  const names = 'PORT HOST BASE_URL DATABASE_URL REDIS_URL TRUST_PROXY LOG_LEVEL SMTP_URL RECEIPT_KEY'.split(
    ' ',
  );
  const empty = Object.fromEntries(names.flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, '']));
  expect(readConfig(empty, false)).toEqual(readConfig({}, false));
});

test('logs are pretty on a terminal and JSON elsewhere, unless LOG_FORMAT is set', () => {
  expect(readConfig({}, true).logFormat).toBe('pretty');
  expect(readConfig({}, false).logFormat).toBe('json');
  expect(readConfig({ LOG_FORMAT: 'json' }, true).logFormat).toBe('json');
});

test.each([
  ['BASE_URL', 'HTTPS://claims.example.com//', 'baseUrl', 'HTTPS://claims.example.com'],
  ['DOCS_URL', 'https://docs.example.com/svc', 'docsUrl', 'https://docs.example.com/svc'],
  ['SUPPORT_EMAIL', 'help@example.com', 'supportEmail', 'help@example.com'],
  ['DATABASE_URL', 'POSTGRESQL://u:p@h/db', 'databaseUrl', 'POSTGRESQL://u:p@h/db'],
  ['DATABASE_URL', 'postgres://h/db?user=a@b', 'databaseUrl', 'postgres://h/db?user=a@b'],
  [
    'DATABASE_URL',
    'postgres://u:p@one:65535,two/db?target_session_attrs=read-write',
    'databaseUrl',
    'postgres://u:p@one:65535,two/db?target_session_attrs=read-write',
  ],
  ['REDIS_URL', 'redis://a:1, rediss://b:2', 'redisUrls', ['redis://a:1', 'rediss://b:2']],
  ['HOST', '::1', 'host', '::1'],
  ['HOST', 'claims-1.internal', 'host', 'claims-1.internal'],
  ['TRUST_PROXY', 'none', 'trustProxy', false],
  ['TRUST_PROXY', '12', 'trustProxy', 12],
  ['TRUST_PROXY', 'uniquelocal', 'trustProxy', 'uniquelocal'],
  ['TRUST_PROXY', 'loopback, 10.0.0.0/8,2001:db8::/32', 'trustProxy', 'loopback,10.0.0.0/8,2001:db8::/32'],
  ['PORT', '0', 'port', 0],
  ['PORT', '65535', 'port', 65_535],
  ['METRICS_PORT', '9464', 'metricsPort', 9464],
  ['EDGE_LIMIT_PER_MINUTE', '0', 'edgeLimitPerMinute', 0],
  ['EDGE_LIMIT_PER_MINUTE', '1000000000', 'edgeLimitPerMinute', 1e9],
  ['SESSION_LIMIT_PER_MINUTE', '0', 'sessionLimitPerMinute', 0],
  ['SESSION_LIMIT_PER_MINUTE', '1000000000', 'sessionLimitPerMinute', 1e9],
  ['SESSION_MAX_DAYS', '1', 'sessionMaxDays', 1],
  ['SESSION_MAX_DAYS', '3650', 'sessionMaxDays', 3650],
  ['CLOSED_CLAIM_RETENTION_DAYS', '1', 'closedClaimRetentionDays', 1],
  ['CLOSED_CLAIM_RETENTION_DAYS', '36500', 'closedClaimRetentionDays', 36_500],
  ['HEADERS_TIMEOUT_MS', '100', 'headersTimeoutMs', 100],
  ['HEADERS_TIMEOUT_MS', '30000', 'headersTimeoutMs', 30_000],
  ['REQUEST_TIMEOUT_MS', '10000', 'requestTimeoutMs', 10_000],
  ['REQUEST_TIMEOUT_MS', '600000', 'requestTimeoutMs', 600_000],
  ['RESPONSE_TIMEOUT_MS', '100', 'responseTimeoutMs', 100],
  ['RESPONSE_TIMEOUT_MS', '600000', 'responseTimeoutMs', 600_000],
  ['SHUTDOWN_GRACE_MS', '0', 'shutdownGraceMs', 0],
  ['SHUTDOWN_GRACE_MS', '600000', 'shutdownGraceMs', 600_000],
  ['DB_POOL_MAX', '1', 'dbPoolMax', 1],
  ['DB_POOL_MAX', '1000', 'dbPoolMax', 1000],
  ['DATA_DIR', '/srv/claims', 'dataDir', '/srv/claims'],
  ['LOG_LEVEL', 'warn', 'logLevel', 'warn'],
  ['LOG_FORMAT', 'pretty', 'logFormat', 'pretty'],
  ['MIGRATION_DATABASE_URL', 'postgresql://o@h/db', 'migrationDatabaseUrl', 'postgresql://o@h/db'],
  ['RECEIPT_KEY', `${Buffer.alloc(32, 1).toString('base64')}\n`, 'receiptKey', Buffer.alloc(32, 1)],
  ['PASSKEYS', 'optional', 'passkeysRequired', false],
  ['TRUST_PROXY', 'true', 'trustProxy', true],
  ['TRUST_PROXY', 'false', 'trustProxy', false],
  ['TRUST_PROXY', '0', 'trustProxy', 0],
  ['TRUST_PROXY', '10.0.0.1/32,::/128, linklocal', 'trustProxy', '10.0.0.1/32,::/128,linklocal'],
  ['DNS_SERVERS', '192.0.2.53, [2001:db8::1]:5353', 'dnsServers', ['192.0.2.53', '[2001:db8::1]:5353']],
  ['METRICS_PORT', '0', 'metricsPort', 0],
  ['REDIS_URL', 'redis://one', 'redisUrls', ['redis://one']],
  ['NODE_ENV', 'test', 'createsDemoFirm', true],
] as const)('%s=%s is valid, and changes nothing else', (name, value, field, expected) => {
  expect(readConfig({ [name]: value }, false)).toEqual({ ...readConfig({}, false), [field]: expected });
});

test('in production the embedded database has to be asked for, and gets no demo firm', () => {
  const read = (DATABASE_URL: string) => readConfig({ NODE_ENV: 'production', DATABASE_URL }, false);
  expect(() => read('')).toThrow(
    /^DATABASE_URL is unset, and NODE_ENV holds "production"; allowed: the URL of a PostgreSQL server, or "embedded" /,
  );
  expect(read('embedded')).toMatchObject({ databaseUrl: null, createsDemoFirm: false });
  expect(read('postgres://h/db')).toMatchObject({ databaseUrl: 'postgres://h/db' });
  expect(readConfig({ DATABASE_URL: 'embedded' }, false)).toEqual(readConfig({}, false));
});

describe('an invalid value', () => {
  test.each([
    ['PORT', '65536', '0 to 65535'],
    ['PORT', '3e3', '0 to 65535'],
    ['PORT', ' 80', '0 to 65535'],
    ['PORT', 'eighty\nLOG=1', '0 to 65535'],
    ['HOST', 'not a host', 'an IP address or a host name'],
    ['HOST', 'a.-b', 'an IP address or a host name'],
    ['BASE_URL', 'https://claims.example.com/a b', 'without user, query and fragment'],
    ['SUPPORT_EMAIL', 'Help <help@x.example>', 'an email address'],
    ['BASE_URL', 'ftp://claims.example.com', 'http:// or https://'],
    ['BASE_URL', 'https://', 'a valid URL'],
    ['BASE_URL', 'https:/claims.example.com', 'http:// or https://'],
    ['BASE_URL', 'http:claims.example.com', 'http:// or https://'],
    ['BASE_URL', 'https://claims.example.com/?a=b', 'without user, query and fragment'],
    ['DOCS_URL', 'https://claims.example.com/#top', 'without user, query and fragment'],
    ['TRUST_PROXY', '999.1.1.1', 'none, true, a number'],
    ['TRUST_PROXY', '10.0.0.0/33', 'none, true, a number'],
    ['TRUST_PROXY', 'loopback,everybody', 'none, true, a number'],
    ['TRUST_PROXY', '10.0.0.0/', 'none, true, a number'],
    ['TRUST_PROXY', '::/129', 'none, true, a number'],
    ['TRUST_PROXY', '10.0.0.0/8/8', 'none, true, a number'],
    ['DNS_SERVERS', 'dns.example', 'IP addresses separated by commas, each with or without a port'],
    ['METRICS_PORT', '65536', '0 to 65535'],
    ['SUPPORT_EMAIL', 'help', 'an email address'],
    ['LOG_FORMAT', 'text', 'json, pretty'],
    ['REQUEST_TIMEOUT_MS', '600001', '100 to 600000'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1', 'a number from 0 to 1'],
    ['LOG_LEVEL', 'verbose', 'error, warn, info, debug'],
    ['DB_POOL_MAX', '0', '1 to 1000'],
    ['DB_POOL_MAX', '1001', '1 to 1000'],
    ['SESSION_MAX_DAYS', '0', '1 to 3650'],
    ['SESSION_MAX_DAYS', '3651', '1 to 3650'],
    ['CLOSED_CLAIM_RETENTION_DAYS', '36501', '1 to 36500'],
    ['EDGE_LIMIT_PER_MINUTE', '1000000001', '0 to 1000000000'],
    ['SESSION_LIMIT_PER_MINUTE', '1000000001', '0 to 1000000000'],
    ['HEADERS_TIMEOUT_MS', '600001', '100 to 600000'],
    ['RESPONSE_TIMEOUT_MS', '99', '100 to 600000'],
    ['RESPONSE_TIMEOUT_MS', '600001', '100 to 600000'],
    ['SHUTDOWN_GRACE_MS', '600001', '0 to 600000'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'http:// or https://'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1e-2', 'a number from 0 to 1'],
    ['CLOSED_CLAIM_RETENTION_DAYS', '0', '1 to 36500'],
    ['PASSKEYS', 'yes', 'optional, required'],
    ['PASSKEYS', 'required', 'only where BASE_URL has a host name'],
    ['HEADERS_TIMEOUT_MS', '99', '100 to 600000'],
    ['REQUEST_TIMEOUT_MS', '9999', 'at least HEADERS_TIMEOUT_MS'],
  ])('%s=%j gives one line with the variable, its value and the allowed values', (name, value, allowed) => {
    let message = '';
    try {
      readConfig({ [name]: value }, false);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      message = (error as Error).message;
    }
    expect(message.startsWith(`${name} holds ${JSON.stringify(value)}; allowed: `)).toBe(true);
    expect(message).toContain(allowed);
    expect(message).not.toContain('\n');
  });

  test('is truncated in the message', () => {
    const names = ['PORT', 'HOST', 'TRUST_PROXY', 'DNS_SERVERS', 'SMTP_URL_FILE', 'SMTP_URL', 'DATABASE_URL'];
    const starts: Record<string, string> = {
      SMTP_URL: 'smtp://h?from=',
      DATABASE_URL: 'postgres://h?sslcert=',
    };
    for (const name of names) {
      const read = () => readConfig({ [name]: `${starts[name] ?? ''}${'x'.repeat(10_000)}` }, false);
      expect(read).toThrow(/"x{100}"; allowed: /);
    }
  });

  test.each([
    [
      'postgres://h/db?ssl_mode=verify-full',
      'DATABASE_URL has the parameter "ssl_mode"; allowed: ssl, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation',
    ],
    [
      'postgres://h/db?SSLMODE=verify-full',
      'DATABASE_URL has the parameter "SSLMODE"; allowed: ssl, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation',
    ],
    [
      'postgres://one,two?sslmode=verify_full',
      'DATABASE_URL has sslmode=verify_full; allowed: disable, prefer, require, verify-ca, verify-full, no-verify',
    ],
    [
      'postgres://h/db?sslmode=verify-full&sslrootcert=/missing/ca.pem',
      'DATABASE_URL has sslrootcert="/missing/ca.pem"; allowed: a file that can be read (ENOENT)',
    ],
  ])('that would connect without TLS by a typing error is refused: %s', (url, message) => {
    expect(() => readConfig({ DATABASE_URL: url }, false)).toThrow(message);
  });

  test.each(['h:0', 'one:5432,two:65536'])('of the port of a database is named: %s', (hosts) => {
    expect(() => readConfig({ DATABASE_URL: `postgres://u:hunter2@${hosts}/db` }, false)).toThrow(
      /^DATABASE_URL has an invalid port; allowed: a whole number from 1 to 65535$/,
    );
  });

  test('of the sender of mail is named', () => {
    const url = 'smtp://mail.example.com?from=claims@example.com';
    expect(readConfig({ SMTP_URL: url }, false).smtpUrl?.()).toBe(url);
    expect(() => readConfig({ SMTP_URL: 'smtp://u:hunter2@mail.example.com?from=bad' }, false)).toThrow(
      /^SMTP_URL has from="bad"; allowed: an email address$/,
    );
  });

  test('of the metrics port is one that the API listens on', () => {
    const read = (PORT: string, METRICS_PORT: string) => readConfig({ PORT, METRICS_PORT }, false);
    expect(() => read('3000', '3000')).toThrow(
      /^METRICS_PORT holds "3000"; allowed: another port than PORT \(3000\)$/,
    );
    expect(read('0', '0').metricsPort).toBe(0);
  });

  test.each([
    ['DATABASE_URL', 'postgres://u:hunter2#b@h/db'],
    ['DATABASE_URL', 'postgres://u:12/hunter2@h/db'],
    ['REDIS_URL', 'redis://u:12#hunter2@h'],
    ['SMTP_URL', 'smtps://u:hunter2#b@h'],
  ])('is explained by an unescaped character of the password: %s=%s', (name, value) => {
    const read = () => readConfig({ [name]: value }, false);
    expect(read).toThrow(/^\w+ holds a value that is not shown; allowed: a URL in whose user .* # as %23, /);
    expect(read).not.toThrow(/hunter2/);
  });

  test.each([
    ['DATABASE_URL', 'mysql://root:hunter2@db/claims'],
    ['DATABASE_URL', 'postgres://u:hunter2@one,tw o/db'],
    ['REDIS_URL', 'http://:hunter2@cache'],
    ['REDIS_URL', 'redis://ok,hunter2'],
    ['SMTP_URL', 'mail:hunter2@example.com'],
    ['SMTP_URL', 'smtp:user:hunter2@mail.example.com'],
    ['SMTP_URL', 'smtp://?from=hunter2@example.com'],
    ['BASE_URL', 'https://:hunter2@claims.example.com'],
    ['DOCS_URL', 'https://hunter2@claims.example.com'],
    ['BASE_URL', 'ftp://user:hunter2@claims.example.com'],
    ['ENCRYPTION_KEY', 'hunter2'],
    ['ENCRYPTION_KEY', ','],
    ['RECEIPT_KEY', Buffer.alloc(33).toString('base64')],
    ['ENCRYPTION_KEY', `${Buffer.alloc(32).toString('base64')},hunter2`],
  ])('that may hold a secret is not shown: %s', (name, value) => {
    const read = () => readConfig({ [name]: value }, false);
    expect(read).toThrow(new RegExp(`^${name} holds a value that is not shown; allowed: `));
    expect(read).not.toThrow(/hunter2/);
  });
});

describe('the VAPID settings', () => {
  const all = {
    VAPID_PUBLIC_KEY: PUBLIC,
    VAPID_PRIVATE_KEY: PRIVATE,
    VAPID_SUBJECT: 'mailto:push@example.com',
  };

  test('must all be set or all be unset', () => {
    expect(readConfig(all, false).vapid).toEqual({
      publicKey: PUBLIC,
      privateKey: PRIVATE,
      subject: 'mailto:push@example.com',
    });
    for (const name of Object.keys(all))
      expect(() => readConfig({ ...all, [name]: '' }, false)).toThrow(new RegExp(`^${name} is unset`));
  });

  test('are validated, and the private key is not shown', () => {
    for (const VAPID_PUBLIC_KEY of [PRIVATE, '/'.repeat(87)])
      expect(() => readConfig({ ...all, VAPID_PUBLIC_KEY }, false)).toThrow(/65 bytes in base64url/);
    const read = () => readConfig({ ...all, VAPID_PRIVATE_KEY: 'hunter2' }, false);
    expect(read).toThrow(/VAPID_PRIVATE_KEY holds a value that is not shown; allowed: 32 bytes/);
    expect(() => readConfig({ ...all, VAPID_SUBJECT: 'push@example.com' }, false)).toThrow(/mailto:/);
    const subject = 'https://claims.example.com/contact';
    expect(readConfig({ ...all, VAPID_SUBJECT: subject }, false).vapid?.subject).toBe(subject);
  });
});

describe('a secret in a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  const write = (text: string): string => {
    writeFileSync(join(folder, 'secret'), text);
    return join(folder, 'secret');
  };

  const [key, nextKey] = ['a', 'b'].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
    string,
    string,
  ];
  const shown = (config: Config): string[] =>
    [
      ...[config.databaseUrl, config.migrationDatabaseUrl, config.smtpUrl, config.encryption?.read],
      config.rereadRedisUrls ?? String(config.redisUrls),
    ].map((value) => String(typeof value === 'function' ? value() : value));

  test.each([
    ['DATABASE_URL', 'postgres://u:1@h', 'postgres://u:2@h'],
    ['MIGRATION_DATABASE_URL', 'postgres://u:1@h', 'postgres://u:2@h'],
    ['REDIS_URL', 'redis://:1@h', 'redis://:2@h'],
    ['SMTP_URL', 'smtps://u:1@h', 'smtps://u:2@h'],
    ['ENCRYPTION_KEY', key, nextKey],
  ])(
    'is read again, and the last valid value counts while it is being replaced: %s',
    (name, first, second) => {
      const file = write(`${first}\n`);
      const config = readConfig({ [`${name}_FILE`]: file }, false);
      const expected = (value: string) => shown(readConfig({ [name]: value }, false));
      expect(shown(config)).toEqual(expected(first));
      for (const text of [`${second}\n`, '', 'postgres:']) {
        write(text);
        expect(shown(config)).toEqual(expected(second));
      }
      rmSync(file);
      expect(shown(config)).toEqual(expected(second));
      write(first);
      expect(shown(config)).toEqual(expected(first));
    },
  );

  test('of a receipt key is named where it holds none', () => {
    const [receiptKey, file] = [Buffer.alloc(32, 1), write(`${Buffer.alloc(32, 1).toString('base64')}\n`)];
    const read = () => readConfig({ RECEIPT_KEY_FILE: file }, false);
    expect(read().receiptKey).toEqual(receiptKey);
    write('hunter2');
    expect(read).toThrow(/^RECEIPT_KEY_FILE holds a value that is not shown; allowed: 32 random bytes/);
    const withKeys = () => readConfig({ ENCRYPTION_KEY_FILE: file }, false).encryption?.variable;
    expect(withKeys).toThrow(/^ENCRYPTION_KEY_FILE holds a value/);
    write(key);
    expect(withKeys()).toBe('ENCRYPTION_KEY_FILE');
    write(' \n');
    expect(read).toThrow(
      `RECEIPT_KEY_FILE holds ${JSON.stringify(file)}; allowed: a file that can be read (empty)`,
    );
    const tls = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => `${name}=${file}`).join('&');
    const DATABASE_URL = `postgres://h/db?sslmode=verify-full&${tls}`;
    expect(readConfig({ DATABASE_URL }, false).databaseUrl).toBe(DATABASE_URL);
    for (const name of ['sslrootcert', 'sslcert', 'sslkey'])
      expect(() => readConfig({ MIGRATION_DATABASE_URL: `postgres://h/db?${name}=/missing` }, false)).toThrow(
        `MIGRATION_DATABASE_URL has ${name}="/missing"; allowed: a file that can be read (ENOENT)`,
      );
  });

  test('cannot be combined with the variable, and has to exist', () => {
    const REDIS_URL_FILE = write('redis://cache');
    expect(() => readConfig({ REDIS_URL_FILE, REDIS_URL: 'redis://cache' }, false)).toThrow(
      'REDIS_URL and REDIS_URL_FILE are both set; allowed: one of them',
    );
    expect(() => readConfig({ DATABASE_URL_FILE: '/no/such/file' }, false)).toThrow(
      'DATABASE_URL_FILE holds "/no/such/file"; allowed: a file that can be read (ENOENT)',
    );
  });
});

test('addresses of Redis Sentinel are rejected with what to use instead', () => {
  for (const scheme of ['redis+sentinel', 'REDISS-sentinel'])
    expect(() => readConfig({ REDIS_URL: `redis://one,${scheme}://two:26379/master` }, false)).toThrow(
      /Redis Sentinel, which is not supported; allowed: the address of a proxy/,
    );
});

test('the encryption keys are one or several, of which the first encrypts', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const ENCRYPTION_KEY = `${one.toString('base64')}, ${two.toString('base64url')},\n`;
  const { encryption } = readConfig({ ENCRYPTION_KEY }, false);
  expect([encryption?.variable, encryption?.read()]).toEqual(['ENCRYPTION_KEY', [one, two]]);
});
