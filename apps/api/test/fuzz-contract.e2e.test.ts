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
  // What else is logged as an error, such as a request beyond its deadline, a busy machine may bring.
  expect(service.logged.filter((line) => line.includes('"code":"internal_error"'))).toEqual([]);
});
