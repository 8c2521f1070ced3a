import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { requireCommand } from '../../../tools/services/debian-package.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const MONITORING = fileURLToPath(new URL('../../../docker/monitoring/', import.meta.url));

const { service } = await startServiceUnderTest({ env: { METRICS_PORT: '0' } });

test('promtool finds nothing wrong with the metrics, the alert rules and their tests', async () => {
  const command = await requireCommand('promtool', { packageName: 'prometheus' });
  const promtool = (args: readonly string[], input = '') => {
    const { status, stderr, stdout } = spawnSync(command, args, { input, encoding: 'utf8' });
    return { status, found: status === 0 ? stderr : stdout + stderr };
  };
  const metrics = await (await fetch(service.metricsUrl ?? '')).text();
  const nothing = { status: 0, found: '' };
  expect(promtool(['check', 'metrics'], metrics)).toEqual(nothing);
  expect(promtool(['test', 'rules', `${MONITORING}alerts.test.yaml`])).toEqual(nothing);
  expect(promtool(['check', 'config', `${MONITORING}prometheus.yaml`])).toEqual(nothing);
});
