import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { startTcpProxy } from '../../../packages/adapter-postgres/test/tcp-proxy.ts';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const toDatabase = await startTcpProxy((await createDatabase()).url);
const toRedis = await startTcpProxy(process.env.TEST_REDIS_URL ?? '');
const service = await startServiceUnderTest({
  databaseUrl: toDatabase.url,
  env: { REDIS_URL: toRedis.url, SUPPORT_EMAIL: 'help&more?@example.com' },
});

const status = async () => (await service.call('GET', '/status')).json;
const partsOf = ({ parts }: { parts: { readonly name: string; readonly status: string }[] }) =>
  Object.fromEntries(parts.map(({ name, status }) => [name, status]));
const reaches = (wanted: string) => eventually(status, (found) => found.status === wanted);

test('/status follows Redis and PostgreSQL through an outage and back', async () => {
  const before = await reaches('up');
  expect(partsOf(before)).toEqual({ api: 'up', database: 'up', redis: 'up' });
  expect(before.support).toBe('help&more?@example.com');
  const { text } = await service.call('GET', '/status', { headers: { Accept: 'text/html' } });
  expect(text).toContain('<a href="mailto:help%26more%3F@example.com">help&#38;more?@example.com</a>');

  await toRedis.cut();
  const degraded = await reaches('degraded');
  expect(partsOf(degraded)).toEqual({ api: 'up', database: 'up', redis: 'down' });
  expect((await service.call('GET', '/v1/health')).status).toBe(200);

  await toDatabase.cut();
  const down = await reaches('down');
  expect(partsOf(down)).toMatchObject({ database: 'down', redis: 'down' });
  expect((await service.call('GET', '/v1/health')).status).toBe(503);

  await toDatabase.restore();
  await toRedis.restore();
  expect(partsOf(await reaches('up'))).toEqual({ api: 'up', database: 'up', redis: 'up' });
});
