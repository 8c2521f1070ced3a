import { run } from './svc/run.ts';

// Whoever reads has seen enough, as in `svc firm list | head`. What was asked for is done by then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await run(process.argv.slice(2));
