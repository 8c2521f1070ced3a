import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ServiceUnderTest, startServiceUnderTest } from '../../apps/api/test/service-under-test.ts';
import { generateClaim } from '../generate/claim.ts';
import { openfema } from './command.ts';

const SAMPLE = fileURLToPath(new URL('./sample.csv', import.meta.url));
const CLAIMS = 17;

let under: ServiceUnderTest;
beforeAll(async () => {
  under = await startServiceUnderTest();
});
afterAll(() => under.stop());

/** Runs the command with the key in a file, and parses its JSON lines. */
async function importClaims(key: string, adjuster: string, { interruptAt }: { interruptAt?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'openfema-key-'));
  writeFileSync(join(folder, 'key'), `${key}\n`, { mode: 0o600 });
  const lines: Record<string, unknown>[] = [];
  let interrupt = (): void => {};
  const code = await openfema(
    [SAMPLE, '--url', under.url, '--adjuster', adjuster, '--key-file', 'key', '--json', '--allow-skips'],
    {
      env: {},
      folder,
      stdin: Readable.from([]),
      stdout: {
        write(line: string) {
          lines.push(JSON.parse(line));
          if (interruptAt !== undefined && line.includes(interruptAt)) interrupt();
        },
      },
      stderr: { write() {} },
      onInterrupt: (listener) => {
        interrupt = listener;
      },
    },
  );
  rmSync(folder, { recursive: true });
  return { code, lines, summary: lines.at(-1) };
}

test('every valid row is stored as mapped, and a second run finds all claims', async () => {
  const firm = await under.firm();
  const { svcId } = await under.member(firm);
  const first = await importClaims(firm.live, svcId);
  expect(first).toMatchObject({ code: 0, summary: { sent: CLAIMS, failed: 0, skipped: 1, stopped: null } });

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

  const second = await importClaims(firm.live, svcId);
  expect(second).toMatchObject({ code: 0, summary: { sent: 0, already_there: CLAIMS } });
  const other = await under.member(firm);
  const third = await importClaims(firm.live, other.svcId);
  expect(third).toMatchObject({ code: 0, summary: { sent: 0, already_there: CLAIMS } });
});

test('an interrupted run ends after its open requests, and the next one sends the rest', async () => {
  const firm = await under.firm();
  const { svcId } = await under.member(firm);
  // Of the second row; the run reads at most a few rows ahead.
  const first = await importClaims(firm.live, svcId, { interruptAt: 'A08' });
  expect(first.code).toBe(130);
  expect(first.summary).toMatchObject({ stopped: 'interrupted', failed: 0 });
  const { json } = await under.call('GET', '/v1/claims?limit=200', { as: firm.live });
  expect(json.data).toHaveLength(Number(first.summary?.sent));
  const second = await importClaims(firm.live, svcId);
  expect(second.summary).toMatchObject({ already_there: json.data.length, sent: CLAIMS - json.data.length });
});

test.each([
  ['an unknown adjuster', 'unknown_osaid', async () => (await under.firm()).live],
  ['an invalid key', 'invalid_key', async () => 'svc_live_nobody'],
])('%s stops the import, since every further claim would fail', async (_what, code, key) => {
  const { code: exit, summary } = await importClaims(await key(), 'SVC-NOBODY');
  expect(exit).toBe(2);
  expect(summary).toMatchObject({ sent: 0, stopped: expect.stringContaining(code) });
  expect(Number(summary?.rows)).toBeLessThan(CLAIMS);
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
