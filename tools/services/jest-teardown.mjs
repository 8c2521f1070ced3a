// Jest's globalTeardown: stops what jest-setup.mjs started, and waits for it.
import { existsSync, readFileSync, rmSync } from 'node:fs';

export default async function tearDown() {
  const counts = globalThis[Symbol.for('svc.answers-checked')];
  if (counts !== undefined && existsSync(counts)) {
    const total = readFileSync(counts, 'utf8')
      .trim()
      .split('\n')
      .map(Number)
      .reduce((sum, n) => sum + n, 0);
    console.log(`\n${total} responses were checked against OpenAPI`);
    rmSync(counts);
  }
  const key = Symbol.for('svc.test-servers');
  const child = globalThis[key];
  if (!child) return;
  delete globalThis[key];
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => {
    child.ref();
    child.once('exit', resolve);
    child.stdin.end();
    setTimeout(() => child.kill('SIGKILL'), 15_000).unref();
  });
}
