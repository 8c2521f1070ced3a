// A process of the service that kills itself at the crash point named by CRASH_AT.
import { startCrashingHost } from './crashing-host.ts';

const { DATABASE_URL = '', REDIS_URL, CRASH_AT } = process.env;
const host = await startCrashingHost({
  databaseUrl: DATABASE_URL,
  ...(REDIS_URL && { redisUrl: REDIS_URL }),
  async at(point) {
    if (point === CRASH_AT) process.kill(process.pid, 'SIGKILL');
  },
});
process.stdout.write(`${host.url}\n`);
