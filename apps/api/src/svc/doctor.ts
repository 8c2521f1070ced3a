import { probeDatabase, probeRedis, readSchemaState } from '../composition/compose.ts';
import { openDatabase } from '../composition/database.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { createLog } from '../logging.ts';

type Check = {
  readonly what: string;
  readonly state: 'ok' | 'wrong' | 'note';
  readonly detail: string;
};

/** Looks at everything the service stands on, and goes on when something is missing. */
export async function diagnose(): Promise<{ ok: boolean; checks: Check[] }> {
  const checks: Check[] = [nodeVersion()];
  let config: Config | null = null;
  try {
    config = readConfig(process.env, false);
    checks.push({ what: 'environment', state: 'ok', detail: 'every variable holds something allowed' });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    checks.push({ what: 'environment', state: 'wrong', detail: error.message });
  }
  if (config !== null) checks.push(...(await database(config)), await redis(config), ...notes(config));
  return { ok: checks.every(({ state }) => state !== 'wrong'), checks };
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  return {
    what: 'node',
    state: fits ? 'ok' : 'wrong',
    detail: `${process.versions.node}; 20.19 or later is needed`,
  };
}

const quietLog = () => createLog({ level: 'error', format: 'json', stream: process.stderr });

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function database(config: Config): Promise<Check[]> {
  const where = config.databaseUrl === null ? `embedded under ${config.dataDir}` : 'DATABASE_URL';
  try {
    const opened = await openDatabase(config, () => {});
    try {
      await probeDatabase(opened.url, quietLog());
      const state = await readSchemaState(opened.url);
      return [
        { what: 'database', state: 'ok', detail: `PostgreSQL ${state.server}, ${where}` },
        state.current
          ? { what: 'schema', state: 'ok', detail: `up to date (${state.applied.length} migrations)` }
          : { what: 'schema', state: 'wrong', detail: 'not up to date: svc migrate brings it there' },
      ];
    } finally {
      await opened.release();
    }
  } catch (error) {
    return [{ what: 'database', state: 'wrong', detail: `${where}: ${message(error)}` }];
  }
}

async function redis(config: Config): Promise<Check> {
  const reachable = await probeRedis(config, quietLog());
  if (reachable === null) {
    return {
      what: 'redis',
      state: 'note',
      detail: 'REDIS_URL is unset: limits are kept in each process by itself',
    };
  }
  return reachable
    ? {
        what: 'redis',
        state: 'ok',
        detail: `reachable (${config.redisUrls.length > 1 ? 'cluster' : 'one node'})`,
      }
    : {
        what: 'redis',
        state: 'wrong',
        detail: 'REDIS_URL is not reachable; limits would be kept in each process',
      };
}

function notes(config: Config): Check[] {
  const found: Check[] = [];
  if (config.smtpUrl === null) {
    found.push({ what: 'mail', state: 'note', detail: 'SMTP_URL is unset: sign-in codes go to the log' });
  }
  if (config.edgeLimitPerMinute === 0 && config.trustProxy === false) {
    found.push({
      what: 'edge limit',
      state: 'note',
      detail:
        'EDGE_LIMIT_PER_MINUTE is 0 and TRUST_PROXY is none: nothing limits an address unless a proxy does',
    });
  }
  return found;
}
