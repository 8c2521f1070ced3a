import { expect, jest, test } from '@jest/globals';
import { later } from '@svc/testkit/eventually';
import { startWebhooks } from '../src/composition/start-webhooks.ts';

test('signals that could not be queued are reported and queued later, and none after a stop, which waits for those that are queued and sent, but not for one that never ends', async () => {
  const [failed, begun, queued] = [later(), later(), later()];
  const warn = jest.fn(() => failed.resolve());
  const log = { debug() {}, info() {}, error() {}, warn };
  const start = jest.fn(() => Promise.reject(new TypeError('at postgres://user:password@host')));
  await startWebhooks({ start, settled: async () => {} }, log).stop();
  expect(start).not.toHaveBeenCalled();
  const broken = startWebhooks({ start, settled: () => new Promise(() => {}) }, log);
  await failed.promise;
  await broken.stop();
  const report = ['signals could not be queued, which will be retried', { error: 'TypeError' }];
  expect([start.mock.calls, warn.mock.calls]).toEqual([[[]], [report]]);

  const steps: string[] = [];
  const deliveries = {
    async start() {
      steps.push('started');
      if (steps.length === 1) throw new Error('no connection');
      begun.resolve();
      await queued.promise;
      steps.push('queued');
    },
    settled: async () => void steps.push('sent'),
  };
  const running = startWebhooks(deliveries, log, 1);
  await begun.promise;
  const stopping = running.stop().then(() => steps.push('stopped'));
  queued.resolve();
  await stopping;
  expect(steps).toEqual(['started', 'started', 'queued', 'sent', 'stopped']);
});
