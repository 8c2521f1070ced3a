import { createECDH } from 'node:crypto';
import type { Firm } from '@svc/application';
import {
  type DatabaseUrl,
  probeDatabase,
  probeEncryption,
  probeRedis,
  type RoleRights,
  readFirms,
  readRoleRights,
  readSchemaState,
  reportNodes,
  reportServers,
  type SchemaState,
} from '../composition/compose.ts';
import { openDatabase } from '../composition/database.ts';
import { mailProblem } from '../composition/notifications.ts';
import { type Config, ConfigError, mailWarning, nodeWarning, readConfig, tlsModeNote } from '../config.ts';
import { createLog } from '../logging.ts';

/** Beside the DB_POOL_MAX connections of a process; the second with ENCRYPTION_KEY. */
const JOB_CONNECTIONS = 2;
const DATA_KEY_CONNECTIONS = 2;

type Check = {
  readonly what: string;
  readonly state: 'ok' | 'wrong' | 'note';
  readonly detail: string;
};

/** Checks everything the service depends on; a failed check does not stop the others. */
export async function diagnose(): Promise<{ ok: boolean; checks: Check[] }> {
  const checks: Check[] = [checkNode()];
  let config: Config | null = null;
  try {
    config = readConfig(process.env, false);
    checks.push({ what: 'environment', state: 'ok', detail: 'all variables are valid' });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    checks.push({ what: 'environment', state: 'wrong', detail: error.message });
  }
  if (config !== null)
    checks.push(
      ...(await checkDatabase(config)),
      await checkRedis(config),
      await checkMail(config),
      ...notesOn(config),
    );
  return { ok: checks.every(({ state }) => state !== 'wrong'), checks };
}

function checkNode(): Check {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  const required = `${version}; 20.19 or later is required`;
  if (!fits) return { what: 'node', state: 'wrong', detail: required };
  const warning = nodeWarning(version);
  return { what: 'node', state: warning === null ? 'ok' : 'note', detail: warning ?? required };
}

function areKeyPair({ publicKey, privateKey }: NonNullable<Config['vapid']>): boolean {
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  } catch {
    return false; // 32 bytes that are no key of this curve
  }
  return curve.getPublicKey().equals(Buffer.from(publicKey, 'base64url'));
}

const quietLog = () => createLog({ level: 'error', format: 'json', stream: process.stderr });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function checkDatabase(config: Config): Promise<Check[]> {
  const location = config.databaseUrl === null ? `embedded under ${config.dataDir}` : 'DATABASE_URL';
  let servers: Check[] = [];
  try {
    const opened = await openDatabase(config, () => {});
    try {
      servers = await checkServers(opened.url);
      await probeDatabase(opened.url, quietLog());
      const state = await readSchemaState(opened.migrationUrl);
      const rights = await readRoleRights(opened.url);
      return [
        { what: 'database', state: 'ok', detail: `PostgreSQL ${state.server}, ${location}` },
        ...servers,
        checkSchema(state),
        checkRights(rights),
        checkConnections(config, rights),
        ...(state.current
          ? [await checkEncryption(config, opened.url), checkFirms(await readFirms(opened.url, quietLog()))]
          : []),
      ];
    } finally {
      await opened.release();
    }
  } catch (error) {
    return [{ what: 'database', state: 'wrong', detail: `${location}: ${messageOf(error)}` }, ...servers];
  }
}

/** Each server of several: one accepts writes, and the others are its standbys. */
async function checkServers(url: DatabaseUrl): Promise<Check[]> {
  const servers = await reportServers(url);
  if (servers.length === 1) return [];
  return servers.map(({ server, problem, isStandby }) => ({
    what: `database ${server}`,
    state: problem === null || isStandby ? 'ok' : 'wrong',
    detail: problem ?? 'accepts writes',
  }));
}

export function checkSchema({ current, applied, unknown, changed }: SchemaState): Check {
  const named = (ids: readonly number[]) =>
    applied
      .filter(({ id }) => ids.includes(id))
      .map(({ id, name }) => `${id} (${name})`)
      .join(', ');
  if (changed.length > 0) {
    const detail = `applied with SQL that differs from this release: ${named(changed)}`;
    return { what: 'schema', state: 'wrong', detail };
  }
  if (!current) return { what: 'schema', state: 'wrong', detail: 'not up to date: run svc migrate' };
  if (unknown.length > 0) {
    return { what: 'schema', state: 'note', detail: `has migrations of a newer release: ${named(unknown)}` };
  }
  return { what: 'schema', state: 'ok', detail: `up to date (${applied.length} migrations)` };
}

async function checkEncryption(config: Config, url: DatabaseUrl): Promise<Check> {
  const what = 'encryption';
  try {
    await probeEncryption(config, url, quietLog());
  } catch (error) {
    return { what, state: 'wrong', detail: messageOf(error) };
  }
  return config.encryption === null
    ? { what, state: 'note', detail: 'ENCRYPTION_KEY is unset: personal data is stored as plain text' }
    : { what, state: 'ok', detail: `${config.encryption.variable} holds every key that is in use` };
}

function checkFirms(firms: readonly Firm[]): Check {
  const started = firms.filter(({ erasure }) => erasure === 'started');
  const erased = firms.filter(({ erasure }) => erasure === 'finished').length;
  const counted = `${firms.length} ${firms.length === 1 ? 'firm' : 'firms'}, ${erased} of them erased`;
  if (started.length === 0) return { what: 'firms', state: 'ok', detail: counted };
  const ids = started.map(({ id }) => id).join(', ');
  const advice = 'if that was interrupted, repeat svc firm erase';
  return { what: 'firms', state: 'note', detail: `${counted}; being erased: ${ids} (${advice})` };
}

function checkRights({ role, ownsTables, changesAudit }: RoleRights): Check {
  const what = 'rights';
  if (ownsTables)
    return {
      ...{ what, state: 'note' },
      detail: `the service's role ${role} owns tables: it can change and drop them, and change the audit trail; see MIGRATION_DATABASE_URL`,
    };
  if (changesAudit)
    return {
      ...{ what, state: 'note' },
      detail: `the service's role ${role} may change rows of the audit trail: revoke UPDATE, DELETE and TRUNCATE on audit_log from it and its groups`,
    };
  return { what, state: 'ok', detail: `the service's role ${role} owns no table` };
}

/** How many processes can run at once. Connections of other programs to the same server are not known here. */
function checkConnections({ dbPoolMax, encryption }: Config, { maxConnections }: RoleRights): Check {
  const ofProcess = dbPoolMax + JOB_CONNECTIONS + (encryption === null ? 0 : DATA_KEY_CONNECTIONS);
  const processes = Math.floor(maxConnections / ofProcess);
  const count = `${processes} ${processes === 1 ? 'process' : 'processes'}`;
  return {
    what: 'connections',
    state: processes === 0 ? 'wrong' : 'ok',
    detail: `max_connections allows ${count} of ${ofProcess} connections each (DB_POOL_MAX is ${dbPoolMax}), without a pooler`,
  };
}

async function checkRedis(config: Config): Promise<Check> {
  if (config.redisUrls.length === 0) {
    return {
      what: 'redis',
      state: 'note',
      detail: 'REDIS_URL is unset: rate limits apply per process',
    };
  }
  const failed = (await reportNodes(config.redisUrls.join(','))).filter(({ problem }) => problem !== null);
  if (failed.length > 0) {
    const detail = failed.map(({ node, problem }) => `${node}: ${problem}`).join('; ');
    return { what: 'redis', state: 'wrong', detail: `${detail}. Rate limits would apply per process` };
  }
  return (await probeRedis(config, quietLog()))
    ? {
        what: 'redis',
        state: 'ok',
        detail: `reachable (${config.redisUrls.length > 1 ? 'cluster' : 'one node'})`,
      }
    : {
        what: 'redis',
        state: 'wrong',
        detail:
          'each node responds, but too slowly or not as one cluster; rate limits would apply per process',
      };
}

async function checkMail({ smtpUrl }: Config): Promise<Check> {
  const what = 'mail';
  if (smtpUrl === null)
    return { what, state: 'note', detail: 'SMTP_URL is unset: sign-in codes are written to the log' };
  const problem = await mailProblem(smtpUrl());
  return problem === null
    ? { what, state: 'ok', detail: 'the mail server accepts connections and credentials' }
    : { what, state: 'wrong', detail: `no mail would be sent: ${problem}` };
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

function notesOn(config: Config): Check[] {
  const notes: Check[] = [];
  if (config.vapid === null) {
    notes.push({
      what: 'push',
      state: 'note',
      detail: `VAPID_PUBLIC_KEY is unset: the keys are in ${config.dataDir}/vapid.json; every process needs the same ones`,
    });
  } else if (!areKeyPair(config.vapid)) {
    notes.push({
      what: 'push',
      state: 'wrong',
      detail:
        'VAPID_PUBLIC_KEY is not the public key of VAPID_PRIVATE_KEY: push services will reject every message',
    });
  } else
    notes.push({ what: 'push', state: 'ok', detail: 'VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are a pair' });
  if (config.baseUrl?.startsWith('http:') === true && !LOOPBACK.has(new URL(config.baseUrl).hostname)) {
    notes.push({
      what: 'public address',
      state: 'note',
      detail:
        'BASE_URL starts with http://: keys and personal data are sent unencrypted, and browsers offer neither installation, push nor passkeys; use https://',
    });
  }
  const warning = mailWarning(config);
  if (warning !== null) notes.push({ what: 'mail', state: 'note', detail: warning });
  const tlsNote = tlsModeNote(config);
  if (tlsNote !== null) notes.push({ what: 'database', state: 'note', detail: tlsNote });
  if (config.trustProxy === true) {
    notes.push({
      what: 'proxies',
      state: 'note',
      detail:
        'TRUST_PROXY is true: every client can choose the address that limits and the audit trail use; name the proxies or their number',
    });
  }
  if (config.edgeLimitPerMinute === 0 && config.trustProxy === false) {
    notes.push({
      what: 'edge limit',
      state: 'note',
      detail:
        'EDGE_LIMIT_PER_MINUTE is 0 and TRUST_PROXY is none: requests per address are unlimited unless a proxy limits them',
    });
  }
  return notes;
}
