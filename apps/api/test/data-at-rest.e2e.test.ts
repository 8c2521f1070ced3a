import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { createDatabase, type TestDatabase, withClient } from '../../../tools/services/postgres.ts';
import { killedSvc } from './child.ts';
import { claimBody, type ServiceUnderTest, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

const newKey = (): string => randomBytes(32).toString('base64');

let database: TestDatabase;
let service: ServiceUnderTest | null = null;

const start = async (key?: string): Promise<ServiceUnderTest> => {
  const env = { ...(key !== undefined && { ENCRYPTION_KEY: key }) };
  service = await startServiceUnderTest({ databaseUrl: database.url, env });
  return service;
};
const stop = async (): Promise<void> => service?.stop();

test('an encrypted claim is read as it was sent, and needs its key from then on', async () => {
  database = await createDatabase();
  const [first, second] = [newKey(), newKey()];
  const encrypted = await start(first);
  const firm = await encrypted.firm();
  const { svcId } = await encrypted.member(firm);
  const body = claimBody(svcId, {
    policyholder: { first_name: 'Ana', last_name: 'Reyes', phone: '3525550142' },
  });
  const sent = await sendClaim(encrypted, firm.live, body);
  expect(sent.status).toBe(201);
  const read = await encrypted.call('GET', `/v1/claims/${sent.json.id}`, { as: firm.live });
  expect(read.json).toEqual(sent.json);
  const logged = encrypted.logged.join('');
  await stop();

  await expect(start()).rejects.toThrow(
    /^ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are unset, but personal data/,
  );
  await expect(start(second)).rejects.toThrow(/^ENCRYPTION_KEY does not hold the key with the id/);

  const svc = (...args: string[]) =>
    svcInProcess([...args, '--json'], { DATABASE_URL: database.url, ENCRYPTION_KEY: `${second},${first}` });
  // The firm's key, and the service's for accounts.
  expect(JSON.parse((await svc('encryption', 'rotate')).stdout)).toEqual({ data_keys: 2 });
  const status = JSON.parse((await svc('encryption', 'status')).stdout);
  expect(status).toEqual({
    key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    data_keys: { [status.key_id]: 2 },
    plain_rows: expect.objectContaining({ claims: 0, adjusters: 0 }),
    rejects_plain_text: false,
  });
  const checksWith = async (key: string) => {
    const doctor = await svcInProcess(['doctor', '--json'], {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: key,
    });
    return JSON.parse(doctor.stdout).checks.find(({ what }: { what: string }) => what === 'encryption');
  };
  expect(await checksWith(second)).toMatchObject({ state: 'ok' });
  expect(await checksWith(first)).toMatchObject({
    state: 'wrong',
    detail: expect.stringContaining(`does not hold the key with the id ${status.key_id}`),
  });
  const rotated = await start(second);
  const again = await rotated.call('GET', `/v1/claims/${sent.json.id}`, { as: firm.live });
  expect(again.json).toMatchObject({ policyholder: body.policyholder });
  for (const key of [first, second]) expect(logged + rotated.logged.join('')).not.toContain(key);
});

test('a firm whose erasure is killed after its data key is gone shows that, stays without access, and is erased again', async () => {
  database = await createDatabase();
  const key = newKey();
  const running = await start(key);
  const firm = await running.firm();
  const { svcId, token } = await running.member(firm);
  const sent = await sendClaim(running, firm.live, claimBody(svcId));
  await running.call('POST', `/app/v1/claims/${sent.json.id}/acceptance`, { as: token });
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: key };
  const erase = ['firm', 'erase', firm.id, '--confirm', 'Gulf Adjusting Partners'];
  const svc = async (...args: string[]) => {
    const { stdout, stderr } = await svcInProcess(args, env);
    return stdout + stderr;
  };
  await withClient(database.url, async (client) => {
    const hasKey = async () =>
      (await client.query('SELECT 1 FROM data_keys WHERE firm_id = $1', [firm.id])).rowCount === 1;
    expect(await hasKey()).toBe(true);
    // Erasing waits for this row after it has deleted the data key.
    await client.query('BEGIN');
    const lock = 'SELECT 1 FROM claims WHERE firm_id = $1 AND id = $2 FOR UPDATE';
    await client.query(lock, [firm.id, sent.json.id]);
    expect(await killedSvc(erase, env, () => eventually(async () => !(await hasKey())))).toBe('SIGKILL');
    await client.query('ROLLBACK');
  });
  expect(await svc('firm', 'show', firm.id)).toMatch(/^status +erasing$/m);
  expect(await svc('doctor')).toContain(`being erased: ${firm.id}`);
  expect(await svc('key', 'create', '--firm', firm.id, '--environment', 'live')).toContain('is being erased');
  await eventually(async () => (await running.call('GET', '/v1/me', { as: firm.live })).status === 401);
  const claims = await running.call('GET', '/app/v1/claims?status=accepted', { as: token });
  expect([claims.status, claims.json.data]).toEqual([200, []]);

  expect(await svc(...erase)).toMatch(/^[1-9]\d* rows erased\.$/m);
  expect(await svc('firm', 'show', firm.id)).toMatch(/^status +erased$/m);
  expect(await svc('audit', 'verify', '--firm', firm.id)).toMatch(/^intact +true$/m);
});
