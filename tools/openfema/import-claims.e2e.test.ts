import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ServiceUnderTest, startServiceUnderTest } from '../../apps/api/test/service-under-test.ts';
import { generateClaim } from '../generate/claim.ts';
import { importClaims, type Listener } from './import-claims.ts';
import { readFile } from './read-rows.ts';
import { makeSender } from './send-claim.ts';

const SAMPLE = fileURLToPath(new URL('./sample.csv', import.meta.url));
const CLAIMS = 17;

let under: ServiceUnderTest;
beforeAll(async () => {
  under = await startServiceUnderTest();
});
afterAll(() => under.stop());

async function importSample(key: string, adjuster: string) {
  const refused: unknown[] = [];
  const waits: string[] = [];
  const listener: Listener = {
    noted: () => {},
    mapped: () => {},
    refused: (_row, _id, problem) => refused.push(problem),
    undelivered: () => {},
    counted: () => {},
  };
  const onWait = (_milliseconds: number, reason: string): void => {
    waits.push(reason);
  };
  const send = makeSender({ url: under.url, key, onWait });
  const file = await readFile(createReadStream(SAMPLE));
  const tally = await importClaims(file, { adjuster, concurrency: 4, send }, listener);
  expect(refused).toEqual([]);
  return { tally, waits };
}

test('every valid row is stored as mapped, and a second run finds all claims', async () => {
  const firm = await under.firm();
  const { svcId } = await under.member(firm);
  expect((await importSample(firm.live, svcId)).tally).toMatchObject({
    sent: CLAIMS,
    skipped: 1,
    stopped: null,
  });

  const { json } = await under.call('GET', '/v1/claims?limit=200', { as: firm.live });
  expect(json.data).toHaveLength(CLAIMS);
  const [brigantine] = json.data.filter(
    ({ external_id }: { external_id: string }) => external_id === '716a1df1-4c18-42f4-b9a6-0008e523318c',
  );
  expect(brigantine).toMatchObject({
    loss: { date: '2012-10-29', cause: 'tidal_water_overflow', cat_code: 'Hurricane Sandy' },
    loss_location: { state: 'NJ', zip: '08203' },
    building: { flood_zone: 'A8', firm_status: 'pre_firm' },
  });

  expect((await importSample(firm.live, svcId)).tally).toMatchObject({ sent: 0, existing: CLAIMS });
  const other = await under.member(firm);
  expect((await importSample(firm.live, other.svcId)).tally).toMatchObject({ sent: 0, existing: CLAIMS });
});

test('rate limits slow the import down without losing a claim', async () => {
  const firm = await under.firm({ limited: true });
  const { svcId } = await under.member(firm);
  const first = await importSample(firm.live, svcId);
  const second = await importSample(firm.live, svcId);
  expect(first.tally).toMatchObject({ sent: CLAIMS, undelivered: 0 });
  expect(second.tally).toMatchObject({ existing: CLAIMS, undelivered: 0 });
  expect(second.waits).toContain('the limit of the key');
});

test('an unknown adjuster stops the import', async () => {
  const firm = await under.firm();
  const { tally } = await importSample(firm.live, 'SVC-NOBODY');
  expect(tally.stopped).toContain('unknown_osaid');
  expect(tally.sent).toBe(0);
});

test('generated claims are accepted', async () => {
  const firm = await under.firm();
  const { svcId } = await under.member(firm);
  for (let index = 0; index < 60; index++) {
    const body = generateClaim(index, 5, svcId);
    const headers = { 'idempotency-key': body.external_id };
    const answer = await under.call('POST', '/v1/claims', { as: firm.live, body, headers });
    expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 201, errors: undefined });
  }
});
