// Jest's globalSetup of every project that needs servers: starts those that TEST_* does not name, once per run. Jest
// loads this file without its transforms, so the TypeScript runs in a separate process.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const NEEDED = ['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'TEST_REDIS_CLUSTER_URL'];

export default async function setUp({ watch, watchAll }) {
  process.env.TEST_RUN_ID ??= randomBytes(4).toString('hex');
  // Sources change in watch mode.
  if (watch || watchAll) process.env.TEST_BUILD_FOR_EACH_FILE = '1';
  // Started for an earlier project of this run.
  if (NEEDED.every((name) => process.env[name])) return;
  const { child, variables } = await serve();
  Object.assign(process.env, variables);
  globalThis[Symbol.for('svc.test-servers')] = child;
}

function serve() {
  const child = spawn(
    process.execPath,
    [
      '--conditions=source',
      '--no-warnings',
      '--import',
      import.meta.resolve('tsx'),
      fileURLToPath(new URL('./serve.ts', import.meta.url)),
    ],
    // A separate session, so that Ctrl-C ends it only after the tests, when its input closes.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  );
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The test servers did not start (exit code ${code}).`)));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (!output.includes('\n')) return;
      child.removeAllListeners('exit');
      child.unref();
      child.stdin.unref();
      child.stdout.destroy();
      resolve({ child, variables: JSON.parse(output) });
    });
  });
}
