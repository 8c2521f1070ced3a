import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { EDGE_REQUESTS_PER_MINUTE } from '@svc/contract';
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
  /** Null: the embedded server under `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** Empty: rate limits and concurrent duplicates are handled per process. Several: the nodes of a cluster. */
  readonly redisUrls: readonly string[];
  readonly trustProxy: boolean | number | string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly dbPoolMax: number;
  readonly shutdownGraceMs: number;
  readonly metricsPort: number | null;
  readonly smtpUrl: string | null;
  readonly vapid: {
    readonly publicKey: string;
    readonly privateKey: string;
    readonly subject: string;
  } | null;
  /** The keys that encrypt the data keys of firms; null: personal data is stored as plain text. */
  readonly encryption: EncryptionKeys | null;
  readonly edgeLimitPerMinute: number;
  /** Days after which a session of the adjuster app ends, however often it is used. */
  readonly sessionMaxDays: number;
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

/** An invalid variable. The message is one line: its name, its value, and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Env = Readonly<Record<string, string | undefined>>;

/** Called once by each entry point. An empty variable counts as unset. */
export function readConfig(env: Env, terminal: boolean): Config {
  const read = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
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
    if (!hasPrefix || !URL.canParse(text))
      return fail(name, `a URL that starts with ${prefixes.join(' or ')}`, secret);
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
    return text === undefined || /^[^\s@<>"]+@[^\s@<>"]+$/.test(text)
      ? (text ?? null)
      : fail(name, 'an email address');
  };
  /** Database drivers have a default host; mail has none. */
  const mailServer = (name: string): string | null => {
    const text = url(name, ['smtp:', 'smtps:'], true);
    if (text !== null && new URL(text).hostname === '')
      return fail(name, 'a URL that starts with smtp:// or smtps:// and names a host', true);
    return text;
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

  const headersTimeoutMs = integer('HEADERS_TIMEOUT_MS', 10_000, 100, 600_000);
  const requestTimeoutMs = integer('REQUEST_TIMEOUT_MS', 30_000, 100, 600_000);
  if (requestTimeoutMs < headersTimeoutMs)
    fail('REQUEST_TIMEOUT_MS', `at least HEADERS_TIMEOUT_MS (${headersTimeoutMs})`);

  return {
    port: integer('PORT', 3000, 0, 65_535),
    host: host(read('HOST')),
    baseUrl: baseAddress('BASE_URL'),
    docsUrl: baseAddress('DOCS_URL'),
    supportEmail: emailAddress('SUPPORT_EMAIL'),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:'], true),
    dataDir: resolve(read('DATA_DIR') ?? '.data'),
    redisUrls: (read('REDIS_URL')?.split(',') ?? []).map((part) => {
      const text = part.trim();
      return url('REDIS_URL', ['redis:', 'rediss:'], true, text) ?? text;
    }),
    trustProxy: trustProxy(read('TRUST_PROXY')),
    logLevel: choice('LOG_LEVEL', 'info', ['error', 'warn', 'info', 'debug']),
    logFormat: choice('LOG_FORMAT', terminal ? 'pretty' : 'json', ['json', 'pretty']),
    dbPoolMax: integer('DB_POOL_MAX', 10, 1, 1000),
    shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', 10_000, 0, 600_000),
    metricsPort: integer('METRICS_PORT', null, 0, 65_535),
    smtpUrl: mailServer('SMTP_URL'),
    vapid:
      publicKey !== undefined && privateKey !== undefined && subject !== undefined
        ? {
            publicKey: base64url('VAPID_PUBLIC_KEY', publicKey, 65, false),
            privateKey: base64url('VAPID_PRIVATE_KEY', privateKey, 32, true),
            subject: url('VAPID_SUBJECT', ['mailto:', 'https:'], false) ?? subject,
          }
        : null,
    encryption: encryptionKeys(read),
    edgeLimitPerMinute: integer('EDGE_LIMIT_PER_MINUTE', EDGE_REQUESTS_PER_MINUTE, 0, 1_000_000_000),
    sessionMaxDays: integer('SESSION_MAX_DAYS', 180, 1, 3650),
    headersTimeoutMs,
    requestTimeoutMs,
    responseTimeoutMs: integer('RESPONSE_TIMEOUT_MS', 30_000, 100, 600_000),
  };
}

const ENCRYPTION_KEY_BYTES = 32;

/** Keys in ENCRYPTION_KEY, or in the file that ENCRYPTION_KEY_FILE names. */
function encryptionKeys(read: (name: string) => string | undefined): EncryptionKeys | null {
  const [text, file] = [read('ENCRYPTION_KEY'), read('ENCRYPTION_KEY_FILE')];
  if (text !== undefined && file !== undefined)
    throw new ConfigError('ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are both set; allowed: one of them');
  if (text !== undefined) {
    const keys = keysIn('ENCRYPTION_KEY', text);
    return { variable: 'ENCRYPTION_KEY', read: () => keys };
  }
  if (file === undefined) return null;
  const readFile = (): Uint8Array[] => {
    let content: string;
    try {
      content = readFileSync(file, 'utf8');
    } catch (error) {
      throw new ConfigError(
        `ENCRYPTION_KEY_FILE holds ${JSON.stringify(file.slice(0, 100))}; allowed: a file that can be read (${(error as NodeJS.ErrnoException).code})`,
      );
    }
    return keysIn('ENCRYPTION_KEY_FILE', content);
  };
  readFile();
  return { variable: 'ENCRYPTION_KEY_FILE', read: readFile };
}

function keysIn(variable: string, text: string): Uint8Array[] {
  const keys = text.split(/[\s,]+/).filter((part) => part !== '');
  const valid = (key: string): boolean =>
    /^[\w+/-]+={0,2}$/.test(key) && Buffer.from(key, 'base64').length === ENCRYPTION_KEY_BYTES;
  if (keys.length === 0 || !keys.every(valid))
    throw new ConfigError(
      `${variable} holds a value that is not shown; allowed: ${ENCRYPTION_KEY_BYTES} random bytes in base64 (openssl rand -base64 32), or several such keys separated by commas, of which the first encrypts`,
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

function isProxy(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
