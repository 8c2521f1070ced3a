import { Unavailable } from '@svc/application';
import type { Servers } from './servers.ts';
import type { SessionSettings } from './session-settings.ts';

/** A server takes it from its client; a pooler in transaction mode rejects settings or does not pass them on. */
const MARK: SessionSettings = { 'claims.direct': 'on' };
const IS_BEHIND = `SELECT current_setting('claims.direct', true) IS DISTINCT FROM 'on' AS behind`;

export async function isBehindPooler(servers: Servers, applicationName: string): Promise<boolean> {
  const config = { application_name: applicationName };
  try {
    return await servers.onConnection(
      'connect',
      config,
      async (client) => (await client.query<{ behind: boolean }>(IS_BEHIND)).rows[0]?.behind === true,
      MARK,
    );
  } catch (error) {
    if (!(error instanceof Unavailable) || error.reason !== 'database_rejected') throw error;
    // Throws where something else was rejected.
    await servers.onConnection('connect', config, async () => {});
    return true;
  }
}
