import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { describe, expect, test } from '@jest/globals';
import { createMemoryRateLimiter } from '@svc/adapter-memory';
import { createMail, mailProblem } from '@svc/adapter-notifications';
import { connectRedis } from '@svc/adapter-redis';
import { freePort, startTemporaryPostgres } from '@svc/embedded-postgres';
import { eventually } from '@svc/testkit/eventually';
import { SMTPServer } from 'smtp-server';
import { atEnd } from '../../../tools/services/at-end.ts';
import { findCommand } from '../../../tools/services/debian-package.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { openOperator } from '../../../tools/services/operator.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { type Certificate, createCertificateAuthority } from './certificate-authority.ts';
import { startServer, svc } from './child.ts';
import { until } from './cluster-load.ts';
import { callHttp, claimBody, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess, svcJsonOn } from './svc-here.ts';

// PostgreSQL, Redis, a mail server and a webhook with certificates of the tests' own authority, for the name localhost.

const UNTRUSTED = 'its certificate is not signed by a trusted authority';
const OTHER_HOST = 'its certificate is for another host name';
const NO_TLS = 'it does not offer TLS';

/** PostgreSQL reads its certificate from its data folder, which belongs to its account. */
async function enableTls(url: string, { key, cert }: Certificate): Promise<void> {
  await withClient(url, async (client) => {
    const write = (text: string, file: string) =>
      client.query(
        `COPY (SELECT unnest(string_to_array('${text.trim()}', E'\\n'))) TO PROGRAM 'umask 077; cat > ${file}'`,
      );
    await write(key, 'server.key');
    await write(cert, 'server.crt');
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
  });
}

const inbox: string[] = [];

async function startMail(options: ConstructorParameters<typeof SMTPServer>[0]): Promise<number> {
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onData(stream, session, done) {
      stream.resume().on('end', () => {
        inbox.push(...session.envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  server.on('error', () => {}); // clients that reject the certificate close the connection
  return (await listening(server.server)).port;
}

const [authority, otherAuthority] = [createCertificateAuthority(), createCertificateAuthority()];
const certificate = authority.issue('DNS:localhost');
const { key, cert, keyFile, certFile } = certificate;
const postgres = await startTemporaryPostgres();
atEnd(() => postgres.stop());
await enableTls(postgres.url, certificate);
const redisPort = await freePort();
const redis = spawn(
  findCommand('redis-server', 'valkey-server') ?? 'redis-server',
  [
    ...['--port', '0', '--tls-port', String(redisPort), '--tls-auth-clients', 'no', '--save', ''],
    ...['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', authority.file],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
atEnd(() => redis.kill());
await once(redis.stdout, 'data');
const smtpsPort = await startMail({ secure: true, key, cert });
const startTlsPort = await startMail({ key, cert });
const plainPort = await startMail({ disabledCommands: ['STARTTLS'] });

const databaseUrl = (parameters: string): string => {
  const url = new URL(postgres.url);
  url.hostname = 'localhost';
  return `${url.href}?${parameters}`;
};
const verified = (ca = authority): string => databaseUrl(`sslmode=verify-full&sslrootcert=${ca.file}`);

test('with certificates of an authority it trusts, the service encrypts its connections to PostgreSQL, Redis and webhooks', async () => {
  const received: string[] = [];
  const hook = createServer({ key, cert }, (request, response) => {
    received.push(request.url ?? '');
    request.resume();
    response.end('ok');
  });
  const { port } = await listening(hook);
  const operator = await openOperator(postgres.url);
  const firm = await operator.firm();
  await operator.close();
  const run = svcJsonOn(postgres.url);
  const ofFirm = ['--firm', firm.id];
  await run('webhook', 'create', ...ofFirm, '--url', `https://localhost:${port}/`, '--environment', 'test');
  // This process does not trust the authority.
  expect((await run('webhook', 'test', ...ofFirm)).delivery.attempts[0].error).toBe('tls_failed');
  const server = await startServer({
    NODE_EXTRA_CA_CERTS: authority.file,
    DATABASE_URL: verified(),
    REDIS_URL: `rediss://localhost:${redisPort}`,
    PORT: '0',
  });
  atEnd(() => server.end());
  const status = await fetch(`${server.url}/status`, { headers: { Accept: 'application/json' } });
  expect(await status.json()).toMatchObject({ status: 'up' });
  await withClient(postgres.url, async (client) => {
    const connections = async () =>
      (
        await client.query<{ encrypted: boolean; several: boolean }>(
          `SELECT bool_and(ssl) AS encrypted, count(*)::integer > 1 AS several
             FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'claim-assignment%'`,
        )
      ).rows[0];
    // The job queue connects after the start.
    const found = await eventually(connections, (seen) => seen?.several === true);
    expect(found).toEqual({ encrypted: true, several: true });
  });
  const sent = await callHttp(server.url, 'POST', '/v1/claims', {
    as: firm.test,
    body: claimBody(firm.account.manual),
    headers: { 'Idempotency-Key': 'tls' },
  });
  expect(sent.status).toBe(201);
  await eventually(() => received.length > 0);
});

describe('PostgreSQL:', () => {
  test.each([
    ['of another authority', () => verified(otherAuthority)],
    ['of an authority that is not named', () => databaseUrl('sslmode=verify-full')],
  ])('a certificate %s is rejected, and startup fails with the reason', async (_, url) => {
    const started = startServiceUnderTest({ databaseUrl: url() });
    await expect(started).rejects.toThrow(`Could not connect to PostgreSQL: ${UNTRUSTED}`);
  });

  const withoutTls = () =>
    withClient(postgres.url, async (client) => {
      await client.query('ALTER SYSTEM SET ssl = off');
      await client.query('SELECT pg_reload_conf()');
    });
  test.each([
    [
      'a certificate for another host',
      () => enableTls(postgres.url, authority.issue('DNS:db.example.com')),
      OTHER_HOST,
    ],
    ['no TLS although the URL requires it', withoutTls, NO_TLS],
  ])('startup fails with the reason where the server has %s', async (_, change, reason) => {
    await change();
    try {
      const started = startServiceUnderTest({ databaseUrl: verified() });
      await expect(started).rejects.toThrow(`Could not connect to PostgreSQL: ${reason}`);
    } finally {
      await enableTls(postgres.url, authority.issue('DNS:localhost'));
    }
  });
});

describe('Redis:', () => {
  test('a certificate of an unknown authority is rejected, and the reason is logged once', async () => {
    const logged: string[] = [];
    const log = { info() {}, warn: (message: string) => void logged.push(message) };
    const url = `rediss://localhost:${redisPort}`;
    const redis = connectRedis({
      url,
      log,
      fallback: { rateLimiter: createMemoryRateLimiter({ clock: { now: () => 0 } }) },
    });
    await until(async () => logged.length > 0, 50);
    expect(redis.state().status).toBe('down');
    await redis.close();
    const causes = logged.filter((message) => message.startsWith('Could not connect to Redis'));
    expect(causes).toEqual([expect.stringContaining(UNTRUSTED)]);
  });

  test('a certificate for another host is rejected, and doctor reports the reason', async () => {
    const { code, stdout } = await svc(['doctor', '--json'], {
      NODE_EXTRA_CA_CERTS: authority.file,
      DATABASE_URL: verified(),
      REDIS_URL: `rediss://127.0.0.1:${redisPort}`,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).checks).toContainEqual({
      what: 'redis',
      state: 'wrong',
      detail: expect.stringContaining(OTHER_HOST),
    });
  });
});

describe('the mail server:', () => {
  const send = async (url: string): Promise<Record<string, unknown>[]> => {
    const logged: Record<string, unknown>[] = [];
    const record = (_message: string, fields: Record<string, unknown> = {}): void => void logged.push(fields);
    const log = { debug: record, info: record, warn: record, error: record };
    await createMail(
      () => url,
      () => 'https://claims.example.com',
      log,
    ).sendSignInCode('ana@example.com', '123456');
    return logged;
  };
  const ca = `tls.ca=${encodeURIComponent(authority.cert)}`;
  const [smtps, starttls] = [`smtps://localhost:${smtpsPort}`, `smtp://localhost:${startTlsPort}`];
  const withoutTls = `smtp://localhost:${plainPort}?requireTLS=true`;

  test.each([
    ['smtps', `${smtps}?${ca}`],
    ['required STARTTLS', `${starttls}?requireTLS=true&${ca}`],
  ])('receives mail over %s with a trusted certificate', async (_, url) => {
    inbox.length = 0;
    expect(await send(url)).toEqual([]);
    expect(inbox).toEqual(['ana@example.com']);
  });

  test.each([
    ['certificate of an unknown authority', smtps, UNTRUSTED],
    ['certificate of an unknown authority after STARTTLS', starttls, UNTRUSTED],
    ['certificate for another host', `smtps://127.0.0.1:${smtpsPort}?${ca}`, OTHER_HOST],
    ['required STARTTLS is not offered', withoutTls, NO_TLS],
  ])('%s: no mail is sent, and the reason is logged', async (_, url, reason) => {
    inbox.length = 0;
    expect(await send(url)).toEqual([
      expect.objectContaining({
        reason: expect.stringContaining(`could not connect to the mail server: ${reason}`),
      }),
    ]);
    expect(inbox).toEqual([]);
  });

  test('receives mail after a password change without a restart', async () => {
    let serverPassword = 'old';
    const port = await startMail({
      authOptional: false,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ password }, _session, done) =>
        password === serverPassword ? done(null, { user: 'svc' }) : done(new Error('rejected')),
    });
    let password = 'old';
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const url = () => `smtp://svc:${password}@localhost:${port}`;
    const mail = createMail(url, () => 'https://claims.example.com', log);
    inbox.length = 0;
    await mail.sendAccountNotice('ana@example.com', 'passkey_added');
    serverPassword = 'new';
    expect(await mailProblem(url())).toMatch(/^Invalid login/);
    await mail.sendAccountNotice('bo@example.com', 'passkey_added');
    expect(inbox).toEqual(['ana@example.com']);
    password = 'new';
    await mail.sendAccountNotice('cy@example.com', 'passkey_added');
    expect(inbox).toEqual(['ana@example.com', 'cy@example.com']);
  });

  test('doctor connects to it and reports why no mail would be sent', async () => {
    const DATABASE_URL = process.env.TEST_DATABASE_URL ?? '';
    const { stdout } = await svcInProcess(['doctor'], { DATABASE_URL, SMTP_URL: starttls });
    expect(stdout).toContain('may be sent unencrypted');
    expect(stdout).toMatch(new RegExp(`SMTP_URL: no mail would be sent: .*${UNTRUSTED}`));
    expect(await mailProblem(`${smtps}?${ca}`)).toBeNull();
    expect(await mailProblem(withoutTls)).toContain(NO_TLS);
    expect(await mailProblem('smtp://127.0.0.1:1?requireTLS=true')).toContain('ECONNREFUSED');
  });
});
