import { createECDH } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Firm, ReplicationState } from '@svc/application';
import { MINUTE, SECOND } from '@svc/domain';
import {
  type DatabaseUrl,
  openDatabase,
  probeDatabase,
  probeEncryption,
  type RoleRights,
  readClockAheadMs,
  readFirms,
  readReplication,
  readRoleRights,
  readSchemaState,
  reportServers,
  type SchemaState,
} from '../composition/database.ts';
import { mailProblem } from '../composition/notifications.ts';
import { probeRedis, reportNodes } from '../composition/redis.ts';
import {
  addressOf,
  type Config,
  ConfigError,
  mailWarning,
  nodeWarning,
  readConfig,
  supportEmailOf,
  tlsModeNote,
} from '../config.ts';
import { createLog } from '../logging.ts';
import { counted } from './output.ts';

/** Beside the DB_POOL_MAX connections of a process; the second with ENCRYPTION_KEY. */
const JOB_CONNECTIONS = 2;
const DATA_KEY_CONNECTIONS = 2;

type Check = {
  readonly what: string;
  readonly state: 'ok' | 'wrong' | 'note';
  readonly detail: string;
};

const check =
  (state: Check['state']) =>
  (what: string, detail: string): Check => ({ what, state, detail });
const ok = check('ok');
const wrong = check('wrong');
const note = check('note');

/** What asks what the service depends on. */
const PROBES = {
  ...{ openDatabase, probeDatabase, probeEncryption, readClockAheadMs, readFirms, readReplication },
  ...{ readRoleRights, readSchemaState, reportServers, probeRedis, reportNodes, mailProblem },
};
type Probes = typeof PROBES;

/** Checks everything the service depends on; a failed check does not stop the others. */
export async function diagnose(
  env: Parameters<typeof readConfig>[0] = process.env,
  probes: Probes = PROBES,
): Promise<{ ok: boolean; checks: Check[] }> {
  const checks: Check[] = [checkNode(process.versions.node)];
  let config: Config | null = null;
  try {
    config = readConfig(env, false);
    checks.push(ok('environment', 'all variables are valid'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    checks.push(wrong('environment', error.message));
  }
  if (config !== null)
    checks.push(
      ...(await checkDatabase(config, probes)),
      await checkRedis(config, probes),
      await checkMail(config, probes),
      checkPush(config),
      ...checkAddress(config),
      ...notesOn(config),
    );
  return { ok: checks.every(({ state }) => state !== 'wrong'), checks };
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  const required = `${version}; 20.19 or later is required`;
  if (!fits) return wrong('node', required);
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

async function checkDatabase(config: Config, probes: Probes): Promise<Check[]> {
  const location = config.databaseUrl === null ? `embedded under ${config.dataDir}` : 'DATABASE_URL';
  let servers: Check[] = [];
  try {
    const opened = await probes.openDatabase(config, () => {});
    try {
      servers = await checkServers(opened.url, probes);
      await probes.probeDatabase(opened.url, quietLog());
      const state = await probes.readSchemaState(opened.migrationUrl);
      const rights = await probes.readRoleRights(opened.url);
      const replication = await probes.readReplication(opened.url, quietLog());
      return [
        ok('database', `PostgreSQL ${state.server}, ${location}`),
        ...servers,
        checkClock(await probes.readClockAheadMs(opened.url, quietLog())),
        checkSchema(state),
        checkRights(rights),
        checkConnections(config, rights),
        ...(opened.embeddedIn === null ? [checkStandbys(rights, replication)] : []),
        ...(state.current
          ? [
              await checkEncryption(config, opened.url, probes),
              checkFirms(await probes.readFirms(opened.url, quietLog())),
            ]
          : []),
      ];
    } finally {
      await opened.release();
    }
  } catch (error) {
    return [wrong('database', `${location}: ${messageOf(error)}`), ...servers];
  }
}

/** Processes stamp with the time of the database; other programs of the machine, such as TLS, do not. */
export function checkClock(aheadMs: number): Check {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const detail = `this machine's is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} that of the database`;
  if (Math.abs(aheadMs) <= SECOND) return ok('clock', detail);
  return Math.abs(aheadMs) <= MINUTE
    ? note('clock', `${detail}: check that both synchronize their time`)
    : wrong(
        'clock',
        `${detail}: processes here are not ready; synchronize the time of the one that is wrong`,
      );
}

/** Each server of several: one accepts writes, and the others are its standbys. */
async function checkServers(url: DatabaseUrl, { reportServers }: Probes): Promise<Check[]> {
  const servers = await reportServers(url);
  if (servers.length === 1) return [];
  return servers.map(({ server, problem, isStandby }) =>
    check(problem === null || isStandby ? 'ok' : 'wrong')(`database ${server}`, problem ?? 'accepts writes'),
  );
}

export function checkSchema({ current, applied, unknown, changed }: SchemaState): Check {
  const named = (ids: readonly number[]) =>
    applied
      .filter(({ id }) => ids.includes(id))
      .map(({ id, name }) => `${id} (${name})`)
      .join(', ');
  if (changed.length > 0) {
    const detail = `applied with SQL that differs from this release: ${named(changed)}`;
    return wrong('schema', detail);
  }
  if (!current) return wrong('schema', 'not up to date: run svc migrate');
  if (unknown.length > 0) {
    return note('schema', `has migrations of a newer release: ${named(unknown)}`);
  }
  return ok('schema', `up to date (${applied.length} migrations)`);
}

async function checkEncryption(config: Config, url: DatabaseUrl, probes: Probes): Promise<Check> {
  const what = 'encryption';
  try {
    await probes.probeEncryption(config, url, quietLog());
  } catch (error) {
    return wrong(what, messageOf(error));
  }
  return config.encryption === null
    ? note(what, 'ENCRYPTION_KEY is unset: personal data is stored as plain text')
    : ok(what, `${config.encryption.variable} holds every key that is in use`);
}

export function checkFirms(firms: readonly Pick<Firm, 'id' | 'erasure'>[]): Check {
  const started = firms.filter(({ erasure }) => erasure === 'started');
  const erased = firms.filter(({ erasure }) => erasure === 'finished').length;
  const found = `${counted(firms.length, 'firm')}, ${erased} of them erased`;
  if (started.length === 0) return ok('firms', found);
  const ids = started.map(({ id }) => id).join(', ');
  const advice = 'if that was interrupted, repeat svc firm erase';
  return note('firms', `${found}; being erased: ${ids} (${advice})`);
}

export function checkRights({
  role,
  ownsTables,
  changesAudit,
}: Pick<RoleRights, 'role' | 'ownsTables' | 'changesAudit'>): Check {
  const what = 'rights';
  if (ownsTables)
    return note(
      what,
      `the service's role ${role} owns tables: it can change and drop them, and change the audit trail; see MIGRATION_DATABASE_URL`,
    );
  if (changesAudit)
    return note(
      what,
      `the service's role ${role} may change rows of the audit trail: revoke UPDATE, DELETE and TRUNCATE on audit_log from it and its groups`,
    );
  return ok(what, `the service's role ${role} owns no table`);
}

export function checkStandbys(
  { role, seesStandbys }: Pick<RoleRights, 'role' | 'seesStandbys'>,
  replication: ReplicationState | null,
): Check {
  const what = 'standbys';
  if (!seesStandbys || replication === null)
    return note(
      what,
      `not visible, and the alerts StandbyMissing and ReplicationLag cannot fire: as a superuser, run GRANT pg_monitor TO ${role}`,
    );
  const { standbys, synchronousStandbys, requiredSynchronousStandbys: required } = replication;
  const connected = `${standbys} connected, ${synchronousStandbys} of them synchronous`;
  return synchronousStandbys >= required
    ? ok(what, connected)
    : wrong(
        what,
        `${connected}, and synchronous_standby_names requires ${required}: every write waits and gets 503; start the standby, or change the setting and reload`,
      );
}

/** How many processes can run at once. Connections of other programs to the same server are not known here. */
export function checkConnections(
  { dbPoolMax, encryption }: Pick<Config, 'dbPoolMax' | 'encryption'>,
  { maxConnections, behindPooler }: Pick<RoleRights, 'maxConnections' | 'behindPooler'>,
): Check {
  const ofProcess = dbPoolMax + JOB_CONNECTIONS + (encryption === null ? 0 : DATA_KEY_CONNECTIONS);
  if (behindPooler)
    return ok(
      'connections',
      `a pooler in transaction mode is in front of PostgreSQL: max_client_conn must allow ${ofProcess} connections of each process (DB_POOL_MAX is ${dbPoolMax}), and its pools must fit into the ${maxConnections} that PostgreSQL accepts`,
    );
  const processes = Math.floor(maxConnections / ofProcess);
  const count = `${processes} ${processes === 1 ? 'process' : 'processes'}`;
  return {
    what: 'connections',
    state: processes === 0 ? 'wrong' : 'ok',
    detail: `max_connections allows ${count} of ${ofProcess} connections each (DB_POOL_MAX is ${dbPoolMax}), without a pooler`,
  };
}

async function checkRedis(config: Config, { reportNodes, probeRedis }: Probes): Promise<Check> {
  if (config.redisUrls.length === 0) {
    return note('redis', 'REDIS_URL is unset: rate limits apply per process');
  }
  const failed = (await reportNodes(config.redisUrls.join(','))).filter(({ problem }) => problem !== null);
  if (failed.length > 0) {
    const detail = failed.map(({ node, problem }) => `REDIS_URL: ${node}: ${problem}`).join('; ');
    return wrong('redis', `${detail}. Rate limits would apply per process`);
  }
  return (await probeRedis(config, quietLog()))
    ? ok('redis', `reachable (${config.redisUrls.length > 1 ? 'cluster' : 'one node'})`)
    : wrong(
        'redis',
        'each node responds, but too slowly or not as one cluster; rate limits would apply per process',
      );
}

async function checkMail({ smtpUrl }: Config, { mailProblem }: Probes): Promise<Check> {
  const what = 'mail';
  if (smtpUrl === null) return note(what, 'SMTP_URL is unset: sign-in codes are written to the log');
  const problem = await mailProblem(smtpUrl());
  return problem === null
    ? ok(what, 'the mail server accepts connections and credentials')
    : wrong(what, `SMTP_URL: no mail would be sent: ${problem}`);
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Of names that are on no public name server (RFC 2606, 6761 and 6762, and those of ICANN). */
const NO_PUBLIC_NAME = /(^|\.)(localhost|localdomain|local|internal|invalid|test|home\.arpa)\.?$/i;

/** Apple answers 403 to each message unless the subject is an address or a page at a public name. */
function isPublicSubject(subject: string): boolean {
  const [, mailHost] = /^mailto:[^\s@<>"?,]+@([^\s@<>"?,]+)$/i.exec(subject) ?? [];
  const host = mailHost ?? (subject.startsWith('https:') ? new URL(subject).hostname : '');
  const isName = /^[^.]+(\.[^.]+)+\.?$/.test(host) && isIP(host) === 0;
  return isName && !NO_PUBLIC_NAME.test(host);
}

export function checkPush(config: Config): Check {
  const { vapid, dataDir } = config;
  const what = 'push';
  const subject = vapid?.subject ?? `mailto:${supportEmailOf(config, addressOf(config))}`;
  const refused = `Apple answers 403 to each message with the subject ${subject}, so iPhones get none`;
  if (vapid === null) {
    const file = join(dataDir, 'vapid.json');
    const keys = existsSync(file) ? `the keys are in ${file}` : `keys will be generated in ${file}`;
    const unset = `VAPID_PUBLIC_KEY is unset: ${keys}; every process needs the same ones (svc push create-keys)`;
    return note(
      what,
      isPublicSubject(subject) ? unset : `${unset}; ${refused}: set BASE_URL or SUPPORT_EMAIL`,
    );
  }
  if (!areKeyPair(vapid))
    return wrong(
      what,
      'VAPID_PUBLIC_KEY is not the public key of VAPID_PRIVATE_KEY: push services will reject every message',
    );
  return isPublicSubject(subject)
    ? ok(what, 'VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are a pair, and VAPID_SUBJECT is at a public name')
    : wrong(what, `${refused}: set VAPID_SUBJECT to mailto: and an address that is read; the keys stay`);
}

/** Production is where no demo firm is created. */
const checkAddress = ({ baseUrl, createsDemoFirm, host, port }: Config): Check[] =>
  baseUrl !== null || createsDemoFirm
    ? []
    : [
        wrong(
          'public address',
          `BASE_URL is unset: links in emails and responses lead to http://${host}:${port}; set the public https:// address`,
        ),
      ];

/** Networks and names of proxies that are on this machine. */
const ON_THIS_MACHINE = /^(loopback|127\..*|::1|::ffff:127\..*)$/;

export function notesOn(config: Config): Check[] {
  const { baseUrl, host, trustProxy, edgeLimitPerMinute } = config;
  const isPlain = baseUrl?.startsWith('http:') === true && !LOOPBACK.has(new URL(baseUrl).hostname);
  const notes: readonly (readonly [what: string, detail: string | false | null])[] = [
    [
      'public address',
      isPlain &&
        'BASE_URL starts with http://: keys and personal data are sent unencrypted, and browsers offer neither installation, push nor passkeys; use https://',
    ],
    ['mail', mailWarning(config)],
    ['database', tlsModeNote(config)],
    [
      'proxies',
      trustProxy === true &&
        'TRUST_PROXY is true: every client can choose the address that limits and the audit trail use; name the proxies or their number',
    ],
    [
      'proxies',
      LOOPBACK.has(host === '::1' ? '[::1]' : host) &&
        typeof trustProxy === 'string' &&
        !trustProxy.split(',').some((proxy) => ON_THIS_MACHINE.test(proxy)) &&
        `HOST is ${host}: the proxies of TRUST_PROXY (${trustProxy}) reach the service only from this machine; set HOST to an address of this machine that they reach`,
    ],
    [
      'edge limit',
      edgeLimitPerMinute === 0 &&
        trustProxy === false &&
        'EDGE_LIMIT_PER_MINUTE is 0 and TRUST_PROXY is none: requests per address are unlimited unless a proxy limits them',
    ],
  ];
  return notes.flatMap(([what, detail]) => (detail ? [note(what, detail)] : []));
}
