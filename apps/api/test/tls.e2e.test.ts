import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMail } from '@svc/adapter-push';
import { connectRedis } from '@svc/adapter-redis';
import { freePort, startTemporaryPostgres, type TemporaryPostgres } from '@svc/embedded-postgres';
import { eventually } from '@svc/testkit/eventually';
import { SMTPServer } from 'smtp-server';
import { findCommand } from '../../../tools/services/debian-package.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import {
  type Certificate,
  type CertificateAuthority,
  createCertificateAuthority,
} from './certificate-authority.ts';
import { startServer, svc } from './child.ts';
import { until } from './cluster-load.ts';
import { startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

// PostgreSQL, Redis and a mail server with certificates of the tests' own authority, for the name localhost.

let authority: CertificateAuthority;
let otherAuthority: CertificateAuthority;
let postgres: TemporaryPostgres;
let redis: ChildProcess;
let redisPort: number;
const inbox: string[] = [];
const mailServers: SMTPServer[] = [];
let smtpsPort: number;
let startTlsPort: number;
let plainPort: number;

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
  mailServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.server.address() as AddressInfo).port;
}

beforeAll(async () => {
  [authority, otherAuthority] = [createCertificateAuthority(), createCertificateAuthority()];
  const certificate = authority.issue('DNS:localhost');
  const { key, cert, keyFile, certFile } = certificate;
  postgres = await startTemporaryPostgres();
  await enableTls(postgres.url, certificate);
  redisPort = await freePort();
  const files = [
    '--tls-cert-file',
    certFile,
    '--tls-key-file',
    keyFile,
    '--tls-ca-cert-file',
    authority.file,
  ];
  redis = spawn(
    findCommand('redis-server', 'valkey-server') ?? 'redis-server',
    ['--port', '0', '--tls-port', String(redisPort), '--tls-auth-clients', 'no', '--save', '', ...files],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(redis.stdout as NodeJS.ReadableStream, 'data');
  smtpsPort = await startMail({ secure: true, key, cert });
  startTlsPort = await startMail({ key, cert });
  plainPort = await startMail({ disabledCommands: ['STARTTLS'] });
});
afterAll(async () => {
  redis?.kill();
  await Promise.all(
    mailServers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
  await postgres?.stop();
  authority.remove();
  otherAuthority.remove();
});

const databaseUrl = (parameters: string): string => {
  const url = new URL(postgres.url);
  url.hostname = 'localhost';
  return `${url.href}?${parameters}`;
};
const verified = (ca = authority): string => databaseUrl(`sslmode=verify-full&sslrootcert=${ca.file}`);

test('with certificates of an authority it trusts, the service encrypts its connections to PostgreSQL and Redis', async () => {
  const server = await startServer({
    NODE_EXTRA_CA_CERTS: authority.file,
    DATABASE_URL: verified(),
    REDIS_URL: `rediss://localhost:${redisPort}`,
    PORT: '0',
  });
  try {
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
  } finally {
    await server.end();
  }
});

describe('PostgreSQL', () => {
  test.each([
    ['of another authority', () => verified(otherAuthority)],
    ['of an authority that is not named', () => databaseUrl('sslmode=verify-full')],
  ])('with a certificate %s is not connected to, and the start says why', async (_, url) => {
    const started = startServiceUnderTest({ databaseUrl: url() });
    await expect(started).rejects.toThrow(`PostgreSQL was not connected to: ${UNTRUSTED}`);
  });

  test('with a certificate for another host is not connected to, and the start says why', async () => {
    await enableTls(postgres.url, authority.issue('DNS:db.example.com'));
    const started = startServiceUnderTest({ databaseUrl: verified() });
    await expect(started).rejects.toThrow(`PostgreSQL was not connected to: ${OTHER_HOST}`);
    await enableTls(postgres.url, authority.issue('DNS:localhost'));
  });

  test('without TLS is not connected to where the URL requires it', async () => {
    await withClient(postgres.url, async (client) => {
      await client.query('ALTER SYSTEM SET ssl = off');
      await client.query('SELECT pg_reload_conf()');
    });
    const started = startServiceUnderTest({ databaseUrl: verified() });
    await expect(started).rejects.toThrow(`PostgreSQL was not connected to: ${NO_TLS}`);
    await enableTls(postgres.url, authority.issue('DNS:localhost'));
  });
});

describe('Redis', () => {
  test('with a certificate of an unknown authority is not used, and the log says why once', async () => {
    const logged: string[] = [];
    const log = { info() {}, warn: (message: string) => void logged.push(message) };
    const unused = {} as never;
    const url = `rediss://localhost:${redisPort}`;
    const redis = connectRedis({ url, log, fallback: { rateLimiter: unused, singleFlight: unused } });
    await until(async () => logged.length > 0, 50);
    expect(redis.state().status).toBe('down');
    await redis.close();
    const causes = logged.filter((message) => message.startsWith('Redis was not connected to'));
    expect(causes).toEqual([expect.stringContaining(UNTRUSTED)]);
  });

  test('with a certificate for another host is not used, and doctor says why', async () => {
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

describe('the mail server', () => {
  const send = async (url: string): Promise<Record<string, unknown>[]> => {
    const logged: Record<string, unknown>[] = [];
    const note = (_message: string, fields: Record<string, unknown> = {}): void => void logged.push(fields);
    const log = { debug: note, info: note, warn: note, error: note };
    await createMail(
      () => url,
      () => 'https://claims.example.com/app',
      log,
    ).sendSignInCode('ana@example.com', '123456');
    return logged;
  };
  const diagnosed = async (url: string): Promise<string> => {
    const variables = { DATABASE_URL: process.env.TEST_DATABASE_URL ?? '', SMTP_URL: url };
    return (await svcInProcess(['doctor'], variables)).stdout;
  };
  const trusting = (ca: CertificateAuthority) => `tls.ca=${encodeURIComponent(ca.cert)}`;

  test.each([
    ['smtps', () => `smtps://localhost:${smtpsPort}?${trusting(authority)}`],
    ['required STARTTLS', () => `smtp://localhost:${startTlsPort}?requireTLS=true&${trusting(authority)}`],
  ])('gets mail over %s with a certificate that is trusted', async (_, url) => {
    inbox.length = 0;
    expect(await send(url())).toEqual([]);
    expect(inbox).toEqual(['ana@example.com']);
  });

  test.each([
    ['of an unknown authority', () => `smtps://localhost:${smtpsPort}`, UNTRUSTED],
    ['of an unknown authority after STARTTLS', () => `smtp://localhost:${startTlsPort}`, UNTRUSTED],
    ['for another host', () => `smtps://127.0.0.1:${smtpsPort}?${trusting(authority)}`, OTHER_HOST],
    [
      'that STARTTLS would need, but is not offered',
      () => `smtp://localhost:${plainPort}?requireTLS=true`,
      NO_TLS,
    ],
  ])('with a certificate %s gets no mail, and the log says why', async (_, url, reason) => {
    inbox.length = 0;
    expect(await send(url())).toEqual([
      expect.objectContaining({
        reason: expect.stringContaining(`the mail server was not connected to: ${reason}`),
      }),
    ]);
    expect(inbox).toEqual([]);
  });

  test('without required TLS is named by doctor', async () => {
    expect(await diagnosed(`smtp://localhost:${startTlsPort}`)).toContain('may be sent unencrypted');
    expect(await diagnosed(`smtp://localhost:${plainPort}?requireTLS=true`)).not.toContain('unencrypted');
    expect(await diagnosed(`smtps://localhost:${smtpsPort}`)).not.toContain('unencrypted');
  });

  test('gets mail after its password was changed, without a restart', async () => {
    let accepted = 'old';
    const port = await startMail({
      authOptional: false,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ password }, _session, done) =>
        password === accepted ? done(null, { user: 'svc' }) : done(new Error('rejected')),
    });
    let password = 'old';
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const url = () => `smtp://svc:${password}@localhost:${port}`;
    const mail = createMail(url, () => 'https://claims.example.com/app', log);
    inbox.length = 0;
    await mail.sendAccountNotice('ana@example.com', 'passkey_added');
    accepted = 'new';
    expect(await diagnosed(url())).toMatch(/no mail would be sent: Invalid login/);
    await mail.sendAccountNotice('bo@example.com', 'passkey_added');
    expect(inbox).toEqual(['ana@example.com']);
    password = 'new';
    await mail.sendAccountNotice('cy@example.com', 'passkey_added');
    expect(inbox).toEqual(['ana@example.com', 'cy@example.com']);
  });

  test('is connected to by doctor, which says why no mail would be sent', async () => {
    const reached = 'the mail server accepts connections and credentials';
    expect(await diagnosed(`smtps://localhost:${smtpsPort}?${trusting(authority)}`)).toContain(reached);
    expect(await diagnosed(`smtp://localhost:${plainPort}?requireTLS=true`)).toContain(NO_TLS);
    expect(await diagnosed('smtp://127.0.0.1:1?requireTLS=true')).toMatch(
      /no mail would be sent: .*ECONNREFUSED/,
    );
  });
});
