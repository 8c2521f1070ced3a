// `pnpm openfema`: sends the claims of an OpenFEMA file to the service.
import { openfema } from './command.ts';

// A reader such as head may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  throw error;
});

const args = process.argv.slice(2);
// pnpm passes on the `--` of `pnpm openfema -- file`.
if (args[0] === '--') args.shift();
process.exitCode = await openfema(args, {
  env: process.env,
  // pnpm runs scripts at the root of the workspace.
  folder: process.env.INIT_CWD ?? process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt: (listener) => void process.once('SIGINT', listener),
});
