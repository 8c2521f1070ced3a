// Starts temporary servers for a Jest run: prints their environment variables as one line of JSON, and stops them
// when standard input closes, which happens even if Jest is killed.
import { startTestServers } from './test-servers.ts';

try {
  const servers = await startTestServers((line) => process.stderr.write(`${line}\n`));
  const stop = () => void servers.stop().finally(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  process.stdin.once('end', stop);
  process.stdin.once('error', stop);
  process.stdin.resume();
  process.stdout.write(`${JSON.stringify(servers.variables)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
