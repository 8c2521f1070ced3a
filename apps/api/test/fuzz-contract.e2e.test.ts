import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fuzz } from '../../../tools/fuzz/fuzzer.ts';
import { type OpenOperator, openOperator } from '../../../tools/services/operator.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
let operator: OpenOperator;
beforeAll(async () => {
  service = await startServiceUnderTest();
  operator = await openOperator(service.databaseUrl);
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

test('three thousand valid and invalid requests get only the responses that OpenAPI documents', async () => {
  const report = await fuzz({ url: service.url, operator, requests: 3_000, seed: 'a fixed seed' });
  expect(report.findings).toEqual([]);
  // Every kind of response occurred.
  expect(Object.keys(report.byStatus)).toEqual(
    expect.arrayContaining([
      '200',
      '201',
      '204',
      '400',
      '401',
      '403',
      '404',
      '405',
      '409',
      '413',
      '422',
      '431',
    ]),
  );
  expect(service.logged.filter((line) => /"level":"error"/.test(line))).toEqual([]);
});
