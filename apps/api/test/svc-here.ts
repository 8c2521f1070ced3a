import { expect, jest } from '@jest/globals';
import { run as runSvc } from '../src/svc/run.ts';
import type { Sessions } from '../src/svc/session.ts';
import type { CommandResult } from './child.ts';

let queue: Promise<unknown> = Promise.resolve();

/** Runs the command line in this process, which is faster. A few tests show that a child process gives the same result. */
export function svcInProcess(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  sessions?: Sessions,
): Promise<CommandResult> {
  const ran = queue.then(async () => {
    const output = { stdout: '', stderr: '' };
    const before = { ...process.env };
    const streams = ['stdout', 'stderr'] as const;
    // An export of many rows must wait for its reader.
    let drain: NodeJS.Immediate | undefined;
    const spies = streams.map((name) =>
      jest.spyOn(process[name], 'write').mockImplementation((text: unknown) => {
        const isPaced = name === 'stdout' && args.includes('export');
        output[name] += isPaced && drain ? 'written too early' : String(text);
        if (!isPaced) return true;
        drain = setImmediate(() => {
          drain = undefined;
          process.stdout.emit('drain');
        });
        return false;
      }),
    );
    try {
      Object.assign(process.env, variables);
      return { code: await runSvc(args, sessions), ...output };
    } finally {
      clearImmediate(drain);
      for (const spy of spies) spy.mockRestore();
      for (const name of Object.keys(variables)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
  queue = ran.catch(() => {});
  return ran;
}

/** Runs commands on a database, each of which must succeed and print one document. */
export const svcJsonOn =
  (databaseUrl: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped output
  async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await svcInProcess([...args, '--json'], { DATABASE_URL: databaseUrl });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
