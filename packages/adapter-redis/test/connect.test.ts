import { expect, test } from '@jest/globals';
import { createClient } from '../src/connect.ts';

const LOGIN = { username: 'u', password: 'p@' };
const EACH = {
  ...{ connectTimeout: 2000, keepAlive: 10_000, disableClientInfo: true, maxRetriesPerRequest: 0 },
  ...{ autoResendUnfulfilledCommands: false, ...LOGIN },
};
const NO_RETRIES = { maxRedirections: 4, retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };

test.each<[url: string, options: object, ofNodes?: object]>([
  ['redis://u:p%40@127.0.0.1:1', EACH],
  ['redis://u:p%40@127.0.0.1:1, 127.0.0.1:2', NO_RETRIES, EACH],
  ['rediss://u:p%40@127.0.0.1:1, 127.0.0.1:2', NO_RETRIES, { ...EACH, tls: {} }],
])('no command waits for a connection to %s, which is made again with the login of then', (...row) => {
  const [url, expected, ofNodes] = row;
  const client = createClient(url, () => url.replace('p%40', 'next'));
  client.on('error', () => {});
  client.disconnect();
  const options = Object(client.options);
  expect(options).toMatchObject({ enableOfflineQueue: false, ...expected });
  if (ofNodes !== undefined) expect(options.redisOptions).toMatchObject(ofNodes);
  const { clusterRetryStrategy, retryStrategy = clusterRetryStrategy } = options;
  expect([1, 10, 11].map((times) => retryStrategy(times))).toEqual([50, 500, 500]);
  expect(options.redisOptions ?? options).toMatchObject({ ...LOGIN, password: 'next' });
});
