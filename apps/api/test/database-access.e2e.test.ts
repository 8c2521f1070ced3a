import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createDatabase, createRole, withClient } from '../../../tools/services/postgres.ts';
import { until } from './cluster-load.ts';
import { expectProblem } from './problem-shape.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

// The service has a separate database role, whose access is revoked and restored.

const PASSWORD = 'first-password';
const role = `svc_${randomBytes(6).toString('hex')}`;
const database = await createDatabase();
const url = new URL(database.url);
const name = url.pathname.slice(1);
await createRole(database, { name: role, password: PASSWORD, attributes: 'SUPERUSER' });
url.username = role;
url.password = PASSWORD;
const service = await startServiceUnderTest({ databaseUrl: url.href });
const firm = await service.firm();
const { svcId, token } = await service.member(firm);

const asOperator = (...statements: string[]): Promise<void> =>
  withClient(process.env.TEST_DATABASE_URL ?? '', async (client) => {
    for (const statement of statements) await client.query(statement);
  });

const endConnections = (): Promise<void> =>
  asOperator(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname IN ('${name}', '${name}_renamed')`,
  );

test.each([
  [
    'its password was changed',
    '28P01',
    () => [`ALTER ROLE ${role} PASSWORD 'second-password'`],
    () => [`ALTER ROLE ${role} PASSWORD '${PASSWORD}'`],
  ],
  [
    'its role cannot log in',
    '28000',
    () => [`ALTER ROLE ${role} NOLOGIN`],
    () => [`ALTER ROLE ${role} LOGIN`],
  ],
  [
    'its database is missing',
    '3D000',
    () => [
      `ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
      `ALTER DATABASE "${name}" RENAME TO "${name}_renamed"`,
    ],
    () => [
      `ALTER DATABASE "${name}_renamed" RENAME TO "${name}"`,
      `ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`,
    ],
  ],
] as const)(
  'when the service cannot log in to PostgreSQL because %s, every response is 503 with Retry-After, and it recovers',
  async (_, code, revoke, restore) => {
    const before = service.logged.length;
    await asOperator(...revoke());
    await endConnections();

    const calls = () =>
      Promise.all([
        service.call('GET', '/v1/health'),
        service.call('GET', '/v1/claims', { as: firm.live }),
        sendClaim(service, firm.live, claimBody(svcId)),
        service.call('PATCH', '/app/v1/me', { as: token, body: { first_name: 'A' } }),
      ]);
    // A recent health check or key may be cached.
    let responses = await calls();
    await until(async () => {
      responses = await calls();
      return responses.every(({ status }) => status >= 500);
    }, 100);
    for (const response of responses) {
      expectProblem(response, 503, 'service_unavailable');
      expect(response.headers.get('retry-after')).toBe('1');
    }
    const causes = service.logged.slice(before).filter((line) => line.includes(`"code":"${code}"`));
    expect(causes.length).toBeGreaterThan(0);
    expect(causes.join('')).toContain(code === '3D000' ? name : role);
    expect(service.logged.join('')).not.toContain(PASSWORD);

    await asOperator(...restore());
    await until(async () => (await service.call('GET', '/v1/health')).status === 200, 100);
    const sent = await sendClaim(service, firm.test, claimBody(firm.account.accepts));
    expect(sent.status).toBe(201);
    // The queue has recovered as well: the test account accepts.
    await until(async () => {
      const claim = await service.call('GET', `/v1/claims/${sent.json.id}`, { as: firm.test });
      return claim.json.assignment?.status === 'accepted';
    }, 100);
  },
);
