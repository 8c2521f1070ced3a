import { run } from './svc/run.ts';

process.exitCode = await run(process.argv.slice(2));
