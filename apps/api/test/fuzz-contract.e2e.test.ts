import { expect, test } from '@jest/globals';
import { fuzz } from '../../../tools/attack/fuzzer.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();
const operator = operatorOf(service.service.services);

test('the responses to 600 valid and invalid requests are as documented', async () => {
  const report = await fuzz({ url: service.url, operator, requests: 600, seed: 'a fixed seed' });
  expect(report.findings).toEqual([]);
  // The requests are varied enough for these, whichever the ids of this run are.
  expect(Object.keys(report.byStatus)).toEqual(
    expect.arrayContaining(['200', '201', '400', '404', '405', '422']),
  );
  // Unexpected errors are logged; on a busy machine a request may exceed its deadline.
  const failed = service.logged.filter((line) => /"level":"error"/.test(line));
  expect(failed.filter((line) => !line.includes('"code":"service_unavailable"'))).toEqual([]);
});
