import { expect, test } from '@jest/globals';
import { later } from '@svc/testkit/eventually';
import { startWebhooks } from '../src/composition/start-webhooks.ts';

test('signals that could not be queued are reported and queued later, and stopping waits for those that are queued and sent, but not for one that never ends', async () => {
  const [failed, begun, queued] = [later(), later(), later()];
  const log = { debug() {}, info() {}, error() {}, warn: () => failed.resolve() };
  const broken = startWebhooks(
    { start: () => Promise.reject(new Error('no connection')), settled: () => new Promise(() => {}) },
    log,
  );
  await failed.promise;
  await broken.stop();

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
