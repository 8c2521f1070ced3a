// Holds throw-away servers for a test run: `serve.ts postgres …` starts what it is told to, prints one line
// of JSON with the variables that lead there, and ends them when its input closes, which the system sees to
// even when whoever started it was killed.
import { startPostgres, type TestPostgres } from './postgres.ts';

const starters: Record<string, () => Promise<{ variables: Record<string, string>; stop(): Promise<void> }>> =
  {
    async postgres() {
      const server: TestPostgres = await startPostgres(say);
      return { variables: { TEST_DATABASE_URL: server.url }, stop: server.stop };
    },
  };

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

const started = await Promise.allSettled(
  process.argv.slice(2).map((name) => {
    const starter = starters[name];
    if (!starter) throw new Error(`There is no test server "${name}".`);
    return starter();
  }),
);
const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
const failures = started.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));

let ending: Promise<never> | undefined;
function end(code: number): Promise<never> {
  ending ??= Promise.allSettled(running.map(({ stop }) => stop())).then(() => process.exit(code));
  return ending;
}

if (failures.length > 0) {
  for (const failure of failures) say(failure.stack ?? String(failure));
  await end(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
process.stdin.on('end', () => void end(0));
process.stdin.on('error', () => void end(0));
process.stdin.resume();
process.stdout.write(`${JSON.stringify(Object.assign({}, ...running.map(({ variables }) => variables)))}\n`);
