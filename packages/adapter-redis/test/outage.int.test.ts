import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS, type FirmId } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { Redis } from 'ioredis';
import { atEnd } from '../../../tools/services/at-end.ts';
import { type RedisServer, startRedis, startRedisCluster } from '../../../tools/services/redis.ts';
import { reportNodes } from '../src/index.ts';
import { RIGHTS } from '../src/report-nodes.ts';
import { allowedOf, type Connected, connected, LONG_TIMEOUT, SLOW } from './connected.ts';

const isUp = (connection: Connected) => () => connection.state().status === 'up';
const isDown = (connection: Connected) => () => connection.state().status === 'down';
const READ = { write: false };
const clientOf = (url: string): Redis => {
  const client = new Redis(url);
  atEnd(() => client.disconnect());
  return client;
};
/** Longer than in production, since Redis shares the test machine. */
const TIMEOUT = { commandTimeoutMs: 300 };

describe('an outage of Redis', () => {
  let server: RedisServer;
  let connection: Connected;
  const consume = (subject: string) => connection.rateLimiter.consume(subject, DEFAULT_LIMITS.live, READ);
  const operator = <T>(work: (client: Redis) => Promise<T>): Promise<T> => work(clientOf(server.url));

  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(async () => {
    connection = await connected(server.url, TIMEOUT);
  });

  test('frozen: one request waits for one timeout, all others do not wait', async () => {
    await consume('k');
    server.pause();
    // A busy process: the timer of the timeout is late.
    setTimeout(() => {
      for (const end = performance.now() + 1.7 * TIMEOUT.commandTimeoutMs; performance.now() < end; );
    }, 10);
    try {
      for (let n = 0; n < 200; n++) expect(await consume(`k ${n}`)).toEqual({ allowed: true });
      expect(connection.state()).toEqual({ status: 'down', timeouts: 1, failures: 0, outages: 1 });
      expect(connection.fallbackCount()).toBe(200);
    } finally {
      server.resume();
    }
    await eventually(isUp(connection));
    expect(await consume('k')).toEqual({ allowed: true });
    expect(connection.fallbackCount()).toBe(200);
    expect(connection.logged).toEqual([
      expect.stringContaining('unavailable'),
      expect.stringContaining('available again'),
    ]);
  });

  test('a user with the documented rights is enough, and a changed password is read again', async () => {
    const rights = RIGHTS.split(' ');
    await operator((client) => client.call('ACL', 'SETUSER', 'limited', 'on', '>first', ...rights));
    let password = 'first';
    const readUrl = (): string =>
      server.url.replace('redis://', `redis://limited:${encodeURIComponent(password)}@`);
    const limited = await connected(readUrl(), { ...TIMEOUT, keyPrefix: 'svc:', readUrl });
    try {
      expect(await limited.rateLimiter.consume('acl', DEFAULT_LIMITS.live, READ)).toEqual({ allowed: true });
      expect(limited.fallbackCount()).toBe(0);
      expect(await reportNodes(readUrl())).toEqual([{ node: new URL(server.url).host, problem: null }]);

      await operator((client) => client.call('ACL', 'SETUSER', 'limited', '<first', '>sec@nd'));
      expect((await reportNodes(readUrl()))[0]?.problem).toMatch(/the user or the password is wrong/);
      await operator((client) => client.client('KILL', 'USER', 'limited'));
      await eventually(isDown(limited));
      password = 'sec@nd';
      await eventually(isUp(limited));

      await operator((client) => client.call('ACL', 'SETUSER', 'limited', '-eval'));
      expect((await reportNodes(readUrl()))[0]?.problem).toMatch(/its user may not run this; allow ~svc:/);

      await operator((client) => client.call('ACL', 'SETUSER', 'default', '>third'));
      expect((await reportNodes(server.url))[0]?.problem).toMatch(/the password is wrong or missing/);
    } finally {
      const asLimited = clientOf(server.url.replace('redis://', 'redis://default:third@'));
      await asLimited.call('ACL', 'SETUSER', 'default', 'nopass');
    }
  });

  test('commands read by a frozen Redis after their timeout consume nothing', async () => {
    server.pause();
    try {
      expect(await allowedOf(connection.rateLimiter, 'thawed', SLOW, 20)).toBe(20);
      // Longer than the deadline of a command.
      await sleep(4 * TIMEOUT.commandTimeoutMs);
    } finally {
      server.resume();
    }
    await eventually(isUp(connection));
    const fallbackCount = connection.fallbackCount();
    expect(await allowedOf(connection.rateLimiter, 'thawed', SLOW, 25)).toBe(20);
    expect(connection.fallbackCount()).toBe(fallbackCount);
  });

  test('killed and restarted on its port: no request fails, and Redis is used again', async () => {
    await consume('k');
    const inFlight = Promise.all(Array.from({ length: 50 }, (_, n) => consume(`in flight ${n}`)));
    await server.kill();
    expect(await inFlight).toEqual(Array(50).fill({ allowed: true }));
    await eventually(isDown(connection));
    for (let n = 0; n < 50; n++) expect(await consume(`dead ${n}`)).toEqual({ allowed: true });
    await server.restart();
    await eventually(isUp(connection));
    const fallbackCount = connection.fallbackCount();
    expect(await allowedOf(connection.rateLimiter, 'reborn', SLOW, 25)).toBe(20);
    expect(connection.fallbackCount()).toBe(fallbackCount);
    expect(connection.state().timeouts).toBe(0);
  });

  test.each([
    ['a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    ['out of memory', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    [
      'without its replicas',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ],
  ])(
    'writes fail, Redis being %s: no request fails, and Redis is used again',
    async (_, [begin = '', ...how], [end = '', ...back]) => {
      await operator((client) => client.call(begin, ...how));
      try {
        for (let n = 0; n < 50; n++) expect(await consume(`refused ${n}`)).toEqual({ allowed: true });
        expect(connection.state()).toMatchObject({ status: 'down', timeouts: 0 });
      } finally {
        await operator((client) => client.call(end, ...back));
      }
      await eventually(isUp(connection));
      const fallbackCount = connection.fallbackCount();
      expect(await consume('again')).toEqual({ allowed: true });
      expect(connection.fallbackCount()).toBe(fallbackCount);
    },
  );

  test('a corrupt key affects only that key', async () => {
    await operator((client) => client.set(`${connection.keyPrefix}limit:{broken}`, 'junk'));
    for (let n = 0; n < 20; n++) {
      const decisions = await Promise.all([consume('broken'), consume('sound')]);
      expect(decisions).toEqual([{ allowed: true }, { allowed: true }]);
    }
    expect(connection.state()).toMatchObject({ status: 'up', failures: 20 });
    expect(connection.fallbackCount()).toBe(20);
  });

  test('unavailable at the start: requests are served, and Redis is used once it is available', async () => {
    await connection.close();
    await server.kill();
    const starting = connected(server.url, TIMEOUT);
    await server.restart();
    connection = await starting;
    await consume('k');
    expect(connection.fallbackCount()).toBe(0);
  });

  test('no idempotency key counts as used while Redis is frozen or gone, and recording one does not wait', async () => {
    const slot = { firmId: randomUUID() as FirmId, environment: 'live', key: 'k' } as const;
    connection.usedKeys.add(slot);
    await eventually(() => connection.usedKeys.has(slot));
    for (const [stop, start] of [
      [() => server.pause(), () => server.resume()],
      [() => server.kill(), () => server.restart()],
    ] as const) {
      await stop();
      try {
        expect(await connection.usedKeys.has(slot)).toBe(false);
        connection.usedKeys.add(slot);
      } finally {
        await start();
      }
      await eventually(isUp(connection));
    }
  });
});

describe('an outage in a Redis Cluster', () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
  let connection: Connected;
  const consumeAll = async (label: string) => {
    for (let n = 0; n < 60; n++) {
      const decision = await connection.rateLimiter.consume(`${label} ${n}`, DEFAULT_LIMITS.live, READ);
      expect(decision).toEqual({ allowed: true });
    }
  };
  /** All nodes, without the fallback. */
  const servesAll = async () => {
    const before = connection.fallbackCount();
    await consumeAll(`whole ${randomUUID()}`);
    return connection.fallbackCount() === before;
  };
  const node = (n: number) => cluster.nodes[n] as RedisServer;
  const clientsOfNodes = () => cluster.nodes.map(({ url }) => clientOf(url));

  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  beforeEach(async () => {
    connection = await connected(cluster.url, TIMEOUT);
  });

  test('one node frozen: one timeout, no failed request, and the node is used again', async () => {
    await consumeAll('before');
    node(1).pause();
    try {
      await consumeAll('frozen');
      expect(connection.state()).toMatchObject({ status: 'down', timeouts: 1 });
    } finally {
      node(1).resume();
    }
    await eventually(isUp(connection));
    await eventually(servesAll);
  });

  test('one node killed and restarted: no failed request, and the node is used again', async () => {
    await consumeAll('before');
    await node(2).kill();
    await consumeAll('killed');
    // By then the other nodes report the cluster as down.
    await eventually(async () => {
      await consumeAll('down');
      return connection.state().status === 'down';
    });
    await node(2).restart();
    await eventually(isUp(connection));
    await eventually(servesAll);
  });

  test('a changed password is read again, for the nodes that are named and all others', async () => {
    const clients = clientsOfNodes();
    const setUser = (...rules: string[]) =>
      Promise.all(clients.map((client) => client.call('ACL', 'SETUSER', 'rotated', ...rules)));
    await setUser('on', '>first', ...RIGHTS.split(' '), '+cluster');
    let password = 'first';
    const readUrl = (): string => cluster.url.replace('redis://', `redis://rotated:${password}@`);
    const rotated = await connected(readUrl(), { ...LONG_TIMEOUT, keyPrefix: 'svc:', readUrl });
    const servesAllNow = async () => {
      const before = rotated.fallbackCount();
      for (let n = 0; n < 30; n++)
        await rotated.rateLimiter.consume(`rotated ${n} ${randomUUID()}`, DEFAULT_LIMITS.live, READ);
      return rotated.fallbackCount() === before;
    };
    await eventually(servesAllNow);
    await setUser('<first', '>second');
    await Promise.all(clients.map((client) => client.client('KILL', 'USER', 'rotated')));
    password = 'second';
    await eventually(isUp(rotated));
    await eventually(servesAllNow);
  });

  test('slots that move to another node are still found', async () => {
    const clients = clientsOfNodes();
    // A long timeout: on a busy machine no node may count as unavailable.
    const connection = await connected(cluster.url, LONG_TIMEOUT);
    await eventually(isUp(connection));
    expect(await allowedOf(connection.rateLimiter, 'before', SLOW, 25)).toBe(20);
    // A slot that contains keys cannot be moved.
    for (const client of clients) await client.flushall();
    const subjects = Array.from({ length: 30 }, (_, n) => `moved ${n}`);
    // Its configuration epoch is the highest: a late message of a previous owner cannot take the slot back.
    const newOwner = String(await clients.at(-1)?.call('CLUSTER', 'MYID'));
    for (const subject of subjects) {
      const slot = String(
        await clients[0]?.call('CLUSTER', 'KEYSLOT', `${connection.keyPrefix}limit:{${subject}}`),
      );
      for (const client of clients) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', newOwner);
    }
    for (const subject of subjects) {
      expect(await allowedOf(connection.rateLimiter, subject, SLOW, 25)).toBe(20);
    }
    expect(connection.fallbackCount()).toBe(0);
  });
});
