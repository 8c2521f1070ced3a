import { Resolver } from 'node:dns';
import { accessSync, constants, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { EDGE_REQUESTS_PER_MINUTE, SESSION_REQUESTS_PER_MINUTE } from '@svc/contract';
import type { LogFormat, LogLevel } from './logging.ts';

/** The environment variables, parsed. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Null: derived from the address on which the server listens. */
  readonly baseUrl: string | null;
  readonly docsUrl: string | null;
  /** Null: `support@` and the host of the base URL. */
  readonly supportEmail: string | null;
  /** Null: the embedded server under `dataDir`. A function where it is in a file, which may change. */
  readonly databaseUrl: string | (() => string) | null;
  /** The role that owns the schema; null: the one of `databaseUrl`. */
  readonly migrationDatabaseUrl: string | (() => string) | null;
  readonly dataDir: string;
  /** Whether an empty embedded database gets a firm to try the service with, whose keys are printed. */
  readonly createsDemoFirm: boolean;
  /** Empty: rate limits and concurrent duplicates are handled per process. Several: the nodes of a cluster. */
  readonly redisUrls: readonly string[];
  /** Reads the URLs of the file again; null where they are not in a file. */
  readonly rereadRedisUrls: (() => readonly string[]) | null;
  readonly trustProxy: boolean | number | string;
  /** That resolve the names which firms and devices choose; empty: those of the system. */
  readonly dnsServers: readonly string[];
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly dbPoolMax: number;
  readonly shutdownGraceMs: number;
  readonly metricsPort: number | null;
  /** Where OpenTelemetry traces are sent, and which; null: none are recorded. */
  readonly tracing: {
    readonly endpoint: string;
    readonly serviceName: string;
    readonly sampling: { readonly sampler: (typeof TRACES_SAMPLERS)[number]; readonly ratio: number };
  } | null;
  /** Reads a file again at each call. */
  readonly smtpUrl: (() => string) | null;
  readonly vapid: {
    readonly publicKey: string;
    readonly privateKey: string;
    readonly subject: string;
  } | null;
  /** The keys that encrypt the data keys of firms; null: personal data is stored as plain text. */
  readonly encryption: EncryptionKeys | null;
  /** The private key that signs receipts; null: generated under `dataDir`. */
  readonly receiptKey: Uint8Array | null;
  readonly edgeLimitPerMinute: number;
  /** Days after which a session of the adjuster app ends, however often it is used. */
  readonly sessionMaxDays: number;
  /** Days after which a closed claim is deleted; null: never. */
  readonly closedClaimRetentionDays: number | null;
  /** Whether adjusters must sign in with a passkey; test accounts need none. */
  readonly passkeysRequired: boolean;
  /** Requests per minute of one session of the adjuster app, in each process; 0: unlimited. */
  readonly sessionLimitPerMinute: number;
  /** Time for a client to send the headers, and the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Time for a client to read a response. */
  readonly responseTimeoutMs: number;
}

interface EncryptionKeys {
  readonly variable: 'ENCRYPTION_KEY' | 'ENCRYPTION_KEY_FILE';
  /** The current keys: a file may change while the service runs. */
  read(): readonly Uint8Array[];
}

/** Of the driver. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** In place of an address: the embedded server, which is also the default except in production. */
const EMBEDDED = 'embedded';

const MAX_PORT = 65_535;
const ESCAPED_PASSWORD =
  'in whose user and password special characters are escaped: # as %23, / as %2F, ? as %3F, @ as %40, % as %25';
const EMAIL_ADDRESS = /^[^\s@<>"]+@[^\s@<>"]+$/;

/** Those of OpenTelemetry that need nothing else. */
const TRACES_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** A warning for a version of Node whose security fixes have ended. */
export function nodeWarning(version: string): string | null {
  return Number.parseInt(version, 10) < 22
    ? `Node ${version} gets no security fixes: run the service on Node 22 or 24`
    : null;
}

/** A warning where mail may be sent without TLS: `smtp://` uses it only if the server offers it, unless it is required. */
export function mailWarning({ smtpUrl }: Pick<Config, 'smtpUrl'>): string | null {
  if (smtpUrl === null) return null;
  const { protocol, searchParams } = new URL(smtpUrl());
  if (protocol !== 'smtp:' || searchParams.get('requireTLS') === 'true') return null;
  return 'SMTP_URL starts with smtp:// and does not require TLS: mail and its password may be sent unencrypted; use smtps:// or ?requireTLS=true';
}

/** A note where the driver is stricter than the name of the mode says in PostgreSQL's documentation. */
export function tlsModeNote({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | null {
  const url = typeof databaseUrl === 'function' ? databaseUrl() : databaseUrl;
  const mode = /[?&]sslmode=(prefer|require|verify-ca)(?=&|$)/.exec(url ?? '')?.[1];
  if (mode === undefined || /[?&]uselibpqcompat=true/.test(url ?? '')) return null;
  return `DATABASE_URL has sslmode=${mode}, which works as verify-full: the server's certificate and host name are checked`;
}

/** An invalid variable. The message is one line: its name, its value, and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Each may be in a file instead, which NAME_FILE names. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'ENCRYPTION_KEY',
  'RECEIPT_KEY',
  'REDIS_URL',
  'SMTP_URL',
  'VAPID_PRIVATE_KEY',
]);

function secret(name: string, text: string | undefined, file = ''): string | undefined {
  if (file === '') return text;
  if (text !== undefined)
    throw new ConfigError(`${name} and ${name}_FILE are both set; allowed: one of them`);
  let reason: string | undefined = 'empty';
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content !== '') return content;
  } catch (error) {
    reason = (error as NodeJS.ErrnoException).code;
  }
  throw new ConfigError(
    `${name}_FILE holds ${JSON.stringify(file.slice(0, 100))}; allowed: a file that can be read (${reason})`,
  );
}

/** @param what how the message starts. */
export function checkReadable(what: string, file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `${what}${JSON.stringify(file.slice(0, 100))}; allowed: a file that can be read (${code})`,
    );
  }
}

/** Reads now, and again at each call. A file that is being replaced may be missing or incomplete: the last value counts. */
function rereadable<T>(read: () => T): () => T {
  let last = read();
  return () => {
    try {
      last = read();
    } catch {
      // Keep the last value.
    }
    return last;
  };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Called once by each entry point. An empty variable counts as unset. */
export function readConfig(env: Env, terminal: boolean): Config {
  const read = (name: string): string | undefined => {
    const text = env[name] === '' ? undefined : env[name];
    return SECRETS.has(name) ? secret(name, text, env[`${name}_FILE`]) : text;
  };
  const fail = (name: string, allowed: string, secret = false): never => {
    const value = secret ? 'a value that is not shown' : JSON.stringify(env[name]?.slice(0, 100));
    throw new ConfigError(`${name} holds ${value}; allowed: ${allowed}`);
  };
  const integer = <D>(name: string, fallback: D, min: number, max: number): number | D => {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    const valid = /^\d{1,10}$/.test(text) && value >= min && value <= max;
    return valid ? value : fail(name, `a whole number from ${min} to ${max}`);
  };
  const choice = <T extends string>(name: string, fallback: T, allowed: readonly T[]): T => {
    const text = read(name) ?? fallback;
    return allowed.find((value) => value === text) ?? fail(name, allowed.join(', '));
  };
  const url = (
    name: string,
    protocols: readonly string[],
    secret: boolean,
    text = read(name),
  ): string | null => {
    if (text === undefined) return null;
    const prefixes = protocols.map((protocol) => (protocol === 'mailto:' ? protocol : `${protocol}//`));
    // The prefix is compared because the URL parser also accepts `http:host`, and the text is used as written.
    const hasPrefix = prefixes.some((prefix) => text.toLowerCase().startsWith(prefix));
    if (!hasPrefix) return fail(name, `a URL that starts with ${prefixes.join(' or ')}`, secret);
    // A fragment means nothing here: the "#" is one of a password, and what follows would be ignored.
    if (!URL.canParse(text) || (secret && text.includes('#')))
      return fail(name, secret ? `a URL ${ESCAPED_PASSWORD}` : 'a valid URL', secret);
    return text;
  };
  /** Paths are appended to it, so it has no query and no fragment. */
  const baseAddress = (name: string): string | null => {
    const mayHoldPassword = read(name)?.includes('@') === true;
    const text = url(name, ['http:', 'https:'], mayHoldPassword);
    if (text === null) return null;
    const { username, password } = new URL(text);
    if (/[?#\s]/.test(text) || username !== '' || password !== '')
      return fail(name, 'a URL without user, query and fragment', mayHoldPassword);
    return text.replace(/\/+$/, '');
  };
  const emailAddress = (name: string): string | null => {
    const text = read(name);
    return text === undefined || EMAIL_ADDRESS.test(text) ? (text ?? null) : fail(name, 'an email address');
  };
  /** Database drivers have a default host; mail has none. */
  const mailServer = (name: string): string | null => {
    const text = url(name, ['smtp:', 'smtps:'], true);
    if (text === null) return null;
    const { hostname, searchParams } = new URL(text);
    if (hostname === '')
      return fail(name, 'a URL that starts with smtp:// or smtps:// and names a host', true);
    const sender = searchParams.get('from');
    if (sender !== null && !EMAIL_ADDRESS.test(sender))
      throw new ConfigError(
        `${name} has from=${JSON.stringify(sender.slice(0, 100))}; allowed: an email address`,
      );
    return text;
  };
  /** Several hosts, separated by commas, which the URL parser does not accept. */
  const databaseUrl = (name: string): string | null => {
    const text = read(name);
    const [, start = '', hosts = '', end = ''] =
      /^([a-z]+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/i.exec(text ?? '') ?? [];
    for (const host of hosts.split(',')) {
      // Not shown: after a password with an unescaped slash, it may be part of it.
      const port = /:(\d+)$/.exec(host)?.[1];
      if (port !== undefined && (Number(port) === 0 || Number(port) > MAX_PORT))
        throw new ConfigError(`${name} has an invalid port; allowed: a whole number from 1 to ${MAX_PORT}`);
      url(name, ['postgres:', 'postgresql:'], true, hosts === '' ? text : `${start}${host}${end}`);
    }
    // After a password with an unescaped slash, the rest of the address is taken for the name of the database.
    if (end.split('?')[0]?.includes('@')) return fail(name, `a URL ${ESCAPED_PASSWORD}`, true);
    for (const [parameter, value] of new URLSearchParams(end.split('?')[1])) {
      // The driver would ignore them, and connect without TLS.
      if (/^ssl/i.test(parameter) && !TLS_PARAMETERS.includes(parameter))
        throw new ConfigError(
          `${name} has the parameter "${parameter}"; allowed: ${TLS_PARAMETERS.join(', ')}`,
        );
      if (parameter === 'sslmode' && !TLS_MODES.includes(value))
        throw new ConfigError(`${name} has sslmode=${value}; allowed: ${TLS_MODES.join(', ')}`);
      if (TLS_FILES.includes(parameter)) checkReadable(`${name} has ${parameter}=`, value);
    }
    return text ?? null;
  };
  const redisUrls = (): string[] =>
    (read('REDIS_URL')?.split(',') ?? []).map((part) => {
      const text = part.trim();
      if (/^rediss?[+-]sentinel:/i.test(text)) {
        throw new ConfigError(
          'REDIS_URL holds an address of Redis Sentinel, which is not supported; allowed: the address of a proxy or of a DNS name that follows the master, or the nodes of a Redis Cluster',
        );
      }
      return url('REDIS_URL', ['redis:', 'rediss:'], true, text) ?? text;
    });
  const isFromFile = (name: string): boolean => (env[`${name}_FILE`] ?? '') !== '';
  const current = <T>(name: string, parse: () => T | null): T | (() => T) | null =>
    isFromFile(name) ? rereadable(parse as () => T) : parse();
  const encryptionKeys = (): EncryptionKeys | null => {
    const variable = isFromFile('ENCRYPTION_KEY') ? 'ENCRYPTION_KEY_FILE' : 'ENCRYPTION_KEY';
    const keys = current('ENCRYPTION_KEY', () => {
      const text = read('ENCRYPTION_KEY');
      return text === undefined ? null : keysIn(variable, text);
    });
    return keys === null ? null : { variable, read: typeof keys === 'function' ? keys : () => keys };
  };
  const receiptKey = (): Uint8Array | null => {
    const text = read('RECEIPT_KEY');
    return text === undefined
      ? null
      : decodeKey(isFromFile('RECEIPT_KEY') ? 'RECEIPT_KEY_FILE' : 'RECEIPT_KEY', text);
  };
  const mailUrl = (): (() => string) | null => {
    const given = current('SMTP_URL', () => mailServer('SMTP_URL'));
    return typeof given === 'string' ? () => given : given;
  };
  const share = (name: string, fallback: number): number => {
    const text = read(name) ?? String(fallback);
    const value = Number(text);
    return /^(\d+\.?\d*|\.\d+)$/.test(text) && value <= 1 ? value : fail(name, 'a number from 0 to 1');
  };
  const tracing = (): Config['tracing'] => {
    const endpoint = baseAddress('OTEL_EXPORTER_OTLP_ENDPOINT');
    const sampler = choice('OTEL_TRACES_SAMPLER', 'parentbased_traceidratio', TRACES_SAMPLERS);
    const ratio = share('OTEL_TRACES_SAMPLER_ARG', 0.01);
    const serviceName = read('OTEL_SERVICE_NAME') ?? 'claim-assignment-service';
    return endpoint === null ? null : { endpoint, serviceName, sampling: { sampler, ratio } };
  };
  const base64url = (name: string, text: string, bytes: number, secret: boolean): string => {
    const valid = /^[\w-]+={0,2}$/.test(text) && Buffer.from(text, 'base64url').length === bytes;
    return valid ? text : fail(name, `${bytes} bytes in base64url`, secret);
  };

  const vapidParts = ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY', 'VAPID_SUBJECT'] as const;
  const [publicKey, privateKey, subject] = vapidParts.map(read);
  if (publicKey !== undefined || privateKey !== undefined || subject !== undefined) {
    const missing = vapidParts.find((name) => read(name) === undefined);
    if (missing !== undefined)
      throw new ConfigError(`${missing} is unset; allowed: all three of ${vapidParts.join(', ')}, or none`);
  }

  const port = integer('PORT', 3000, 0, MAX_PORT);
  const metricsPort = integer('METRICS_PORT', null, 0, MAX_PORT);
  if (metricsPort === port && port !== 0) fail('METRICS_PORT', `another port than PORT (${port})`);

  const headersTimeoutMs = integer('HEADERS_TIMEOUT_MS', 10_000, 100, 600_000);
  const requestTimeoutMs = integer('REQUEST_TIMEOUT_MS', 30_000, 100, 600_000);
  if (requestTimeoutMs < headersTimeoutMs)
    fail('REQUEST_TIMEOUT_MS', `at least HEADERS_TIMEOUT_MS (${headersTimeoutMs})`);

  const passkeysRequired = choice('PASSKEYS', 'optional', ['optional', 'required']) === 'required';
  const baseUrl = baseAddress('BASE_URL');
  const listenHost = host(read('HOST'));
  const siteHost = baseUrl === null ? listenHost : new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  if (passkeysRequired && isIP(siteHost) !== 0)
    fail(
      'PASSKEYS',
      'required only where BASE_URL has a host name, since browsers offer no passkeys for an IP address',
    );

  const isProduction = read('NODE_ENV') === 'production';
  const isEmbedded = read('DATABASE_URL') === EMBEDDED;

  const config: Config = {
    port,
    host: listenHost,
    baseUrl,
    docsUrl: baseAddress('DOCS_URL'),
    supportEmail: emailAddress('SUPPORT_EMAIL'),
    databaseUrl: isEmbedded ? null : current('DATABASE_URL', () => databaseUrl('DATABASE_URL')),
    migrationDatabaseUrl: current('MIGRATION_DATABASE_URL', () => databaseUrl('MIGRATION_DATABASE_URL')),
    dataDir: resolve(read('DATA_DIR') ?? '.data'),
    createsDemoFirm: !isProduction,
    redisUrls: redisUrls(),
    rereadRedisUrls: isFromFile('REDIS_URL') ? rereadable(redisUrls) : null,
    trustProxy: trustProxy(read('TRUST_PROXY')),
    dnsServers: dnsServers(read('DNS_SERVERS')),
    logLevel: choice('LOG_LEVEL', 'info', ['error', 'warn', 'info', 'debug']),
    logFormat: choice('LOG_FORMAT', terminal ? 'pretty' : 'json', ['json', 'pretty']),
    dbPoolMax: integer('DB_POOL_MAX', 10, 1, 1000),
    shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', 10_000, 0, 600_000),
    metricsPort,
    tracing: tracing(),
    smtpUrl: mailUrl(),
    vapid:
      publicKey !== undefined && privateKey !== undefined && subject !== undefined
        ? {
            publicKey: base64url('VAPID_PUBLIC_KEY', publicKey, 65, false),
            privateKey: base64url('VAPID_PRIVATE_KEY', privateKey, 32, true),
            subject: url('VAPID_SUBJECT', ['mailto:', 'https:'], false) ?? subject,
          }
        : null,
    encryption: encryptionKeys(),
    receiptKey: receiptKey(),
    edgeLimitPerMinute: integer('EDGE_LIMIT_PER_MINUTE', EDGE_REQUESTS_PER_MINUTE, 0, 1_000_000_000),
    sessionMaxDays: integer('SESSION_MAX_DAYS', 180, 1, 3650),
    closedClaimRetentionDays: integer('CLOSED_CLAIM_RETENTION_DAYS', null, 1, 36_500),
    passkeysRequired,
    sessionLimitPerMinute: integer('SESSION_LIMIT_PER_MINUTE', SESSION_REQUESTS_PER_MINUTE, 0, 1_000_000_000),
    headersTimeoutMs,
    requestTimeoutMs,
    responseTimeoutMs: integer('RESPONSE_TIMEOUT_MS', 30_000, 100, 600_000),
  };
  if (isProduction && config.databaseUrl === null && !isEmbedded)
    throw new ConfigError(
      `DATABASE_URL is unset, and NODE_ENV holds "production"; allowed: the URL of a PostgreSQL server, or "${EMBEDDED}" for a server of the service's own in DATA_DIR`,
    );
  return config;
}

/** Where links lead before the service listens, and in commands. */
export const addressOf = ({ baseUrl, host, port }: Config): string => baseUrl ?? `http://${host}:${port}`;

/** Validators of OpenAPI reject an email address at a name without a dot, or at an IP address. */
export function supportEmailOf({ supportEmail }: Pick<Config, 'supportEmail'>, baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const isName = hostname.includes('.') && isIP(hostname) === 0;
  return supportEmail ?? `support@${isName ? hostname : 'localhost.invalid'}`;
}

const KEY_BYTES = 32;

const isKey = (text: string): boolean =>
  /^[\w+/-]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length === KEY_BYTES;

/** @param source where the text is from. */
export function decodeKey(source: string, text: string): Uint8Array {
  if (!isKey(text.trim()))
    throw new ConfigError(
      `${source} holds a value that is not shown; allowed: ${KEY_BYTES} random bytes in base64 (openssl rand -base64 32)`,
    );
  return Buffer.from(text.trim(), 'base64');
}

function keysIn(variable: string, text: string): Uint8Array[] {
  const keys = text.split(/[\s,]+/).filter((part) => part !== '');
  if (keys.length === 0 || !keys.every(isKey))
    throw new ConfigError(
      `${variable} holds a value that is not shown; allowed: ${KEY_BYTES} random bytes in base64 (openssl rand -base64 32), or several such keys separated by commas, of which the first encrypts`,
    );
  return keys.map((key) => Buffer.from(key, 'base64'));
}

function host(text = '127.0.0.1'): string {
  if (
    isIP(text) === 0 &&
    !/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
  )
    throw new ConfigError(
      `HOST holds ${JSON.stringify(text.slice(0, 100))}; allowed: an IP address or a host name`,
    );
  return text;
}

/** The forms of Express' `trust proxy`: a number of hops, `true`, or a list of addresses and networks. */
function trustProxy(text: string | undefined): boolean | number | string {
  if (text === undefined || text === 'none' || text === 'false') return false;
  if (text === 'true') return true;
  if (/^\d+$/.test(text)) return Number(text);
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every(isProxy)) {
    throw new ConfigError(
      `TRUST_PROXY holds ${JSON.stringify(text.slice(0, 100))}; allowed: none, true, a number of proxies, or a comma-separated list of addresses, networks, loopback, linklocal, uniquelocal`,
    );
  }
  return parts.join(',');
}

function dnsServers(text: string | undefined): string[] {
  const servers = text?.split(',').map((part) => part.trim()) ?? [];
  try {
    new Resolver().setServers(servers);
  } catch {
    throw new ConfigError(
      `DNS_SERVERS holds ${JSON.stringify(text?.slice(0, 100))}; allowed: IP addresses separated by commas, each with or without a port`,
    );
  }
  return servers;
}

function isProxy(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
