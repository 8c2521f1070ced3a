// Jest's globalTeardown: stops what jest-setup.mjs started, and waits for it.
export default async function tearDown() {
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
