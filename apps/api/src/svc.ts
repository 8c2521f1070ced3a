import { run } from './svc/run.ts';

// The reader may close the pipe early, as in `svc firm list | head`. The command has run by then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await run(process.argv.slice(2));
