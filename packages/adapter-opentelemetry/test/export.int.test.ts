import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { listening } from '../../../tools/services/local-server.ts';
import { startTracing } from '../src/index.ts';

const rejecting = await listening(createServer((_, response) => void response.writeHead(400).end()));

test.each([
  ['does not listen', 'http://127.0.0.1:9', /^(timeout|ECONNREFUSED)$/],
  ['rejects them', rejecting.url, /^400$/],
])('when the receiver of traces %s, the log says why', async (_, endpoint, why) => {
  const logged: unknown[] = [];
  const sampling = { sampler: 'always_on', ratio: 0 } as const;
  const log = { warn: (...line: unknown[]) => void logged.push(line) };
  const own = startTracing({ endpoint, serviceName: 'own', sampling, log });
  own.request({ headers: {} }, () => own.requestEnded({ route: 'GET /', status: 200 }));
  await own.stop();
  expect(logged).toMatchObject([['traces could not be exported', { error: expect.anything() }]]);
  expect(String(Object(logged).flat()[1].error)).toMatch(why);
});
