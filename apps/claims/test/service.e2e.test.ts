import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { createClient, type ReceiptContent, type ReceiptKeySet, verifyReceipt } from '@svc/client';
import { smallestClaim } from '@svc/contract';
import { createFirm, startRealService } from '../../../packages/client/test/real-service.ts';
import { atEnd } from '../../../tools/services/at-end.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { claimJson, idOf, jsonLines } from './environment.ts';
import { MAIN_COMMAND, start } from './process.ts';

const RECEIPT_MEMBERS: Record<keyof ReceiptContent, true> = {
  ...{ iss: true, iat: true, version: true },
  ...{ claim_id: true, external_id: true, firm_id: true, environment: true, adjuster_svc_id: true },
  ...{
    offered_at: true,
    pushes: true,
    first_seen_at: true,
    status: true,
    answered: true,
    late_answer: true,
    clocks: true,
    closed_at: true,
  },
  ...{ decided_by: true, audit: true },
};

const service = await startRealService();
const firm = await createFirm(service);
const folder = temporaryFolder();
const client = createClient({ baseUrl: service.url, apiKey: firm.testKey });

const env = () => ({ CLAIMS_URL: service.url, CLAIMS_API_KEY: firm.testKey });

async function fileOf(prefix: string, count: number, behavior = 'manual'): Promise<string> {
  const path = join(folder, `${prefix}.jsonl`);
  const claim = (n: number) => ({
    ...smallestClaim,
    external_id: `${prefix}-${n}`,
    claim_number: `${prefix}-${n}`,
    adjuster_svc_id: firm.account(behavior),
  });
  await writeFile(path, Array.from({ length: count }, (_, i) => JSON.stringify(claim(i + 1))).join('\n'));
  return path;
}

async function heldWith(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { external_id } of client.claims.list({ limit: 200 })) {
    if (external_id.startsWith(`${prefix}-`)) found.push(external_id);
  }
  return found;
}

describe('the command line against the real service', () => {
  it('sends each claim once when it is killed and run again', async () => {
    const file = await fileOf('KILLED', 60);
    const running = start(['send', file, '--concurrency', '2'], { env: env() });
    await running.shows('line 20 ');
    running.child.kill('SIGKILL');
    await running.ended;
    const before = (await heldWith('KILLED')).length;
    expect(before).toBeGreaterThanOrEqual(20);
    const again = await start(['send', file, '--json'], { env: env() }).ended;
    expect(again.code).toBe(0);
    expect(
      jsonLines(again.stdout).filter(({ outcome }) => outcome === 'already_sent').length,
    ).toBeGreaterThanOrEqual(before);
    expect(await heldWith('KILLED')).toHaveLength(60);
  });

  it('sends each claim once in two concurrent runs of one file', async () => {
    const file = await fileOf('TWICE', 40);
    const runs = await Promise.all([1, 2].map(() => start(['send', file, '--json'], { env: env() }).ended));
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const [one, other] = runs.map(({ stdout }) => jsonLines(stdout).map(({ id }) => id));
    expect(one).toEqual(other);
    expect(await heldWith('TWICE')).toHaveLength(40);
  });

  it('verifies a receipt with saved keys and with those of the service, and finds an altered one', async () => {
    await start(['send', await fileOf('RECEIPT', 1)], { env: env() }).ended;
    const [claim] = (await client.claims.list({ external_id: 'RECEIPT-1' })).items;
    const { receipt } = await client.claims.receipt(claim?.id ?? '');
    const jwks = (await (
      await fetch(new URL('/.well-known/jwks.json', service.url))
    ).json()) as ReceiptKeySet;
    expect(await verifyReceipt(receipt, { jwks })).toMatchObject({ claim_id: claim?.id });
    const saved = join(folder, 'jwks.json');
    await writeFile(saved, JSON.stringify(jwks));
    const offline = ['verify-receipt', '-', '--jwks', saved];
    const genuine = await start(offline, { stdin: JSON.stringify({ receipt }) }).ended;
    expect([genuine.code, genuine.stdout]).toEqual([0, expect.stringContaining('The receipt is genuine.')]);
    const fromService = ['verify-receipt', '-', '--json', '--url', service.url];
    const content = await start(fromService, { stdin: receipt }).ended;
    const shown = JSON.parse(content.stdout);
    expect(shown).toMatchObject({ external_id: 'RECEIPT-1' });
    // The SDK's type and the guide name each member.
    expect(Object.keys(shown).sort()).toEqual(Object.keys(RECEIPT_MEMBERS).sort());
    const guide = await readFile(new URL('../../../docs/guides/receipts.md', import.meta.url), 'utf8');
    expect(Object.keys(shown).filter((member) => !guide.includes(`\`${member}`))).toEqual([
      'iss',
      'iat',
      'version',
    ]);
    const altered = receipt.replace('.', '.e');
    const found = await start(offline, { stdin: altered }).ended;
    expect([found.code, found.stderr]).toEqual([1, expect.stringContaining('The signature is wrong')]);
  });

  it('shows responses of adjusters as they arrive', async () => {
    const running = start(['watch', '--since', '1m', '--interval', '1s', '--json'], { env: env() });
    const file = await fileOf('WATCHED', 1, 'rejects');
    await start(['send', file], { env: env() }).ended;
    await running.shows('"rejected"');
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      external_id: 'WATCHED-1',
      assignment: { status: 'rejected' },
    });
  });

  it('rehearses with the claims of a new file, and says what is missing', async () => {
    const file = join(folder, 'rehearsal.jsonl');
    const rehearsal = start(['rehearse', file, '--claims', '4', '--for', '1s'], { env: env() });
    await rehearsal.shows('4 claims are in');
    await start(['send', file], { env: env() }).ended;
    expect(await rehearsal.ended).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/not ready yet\nhttp.*\/firm#\/readiness\/\S+\n$/),
      stderr: expect.stringContaining('_manual leaves'),
    });
    const again = await start(['rehearse', file], { env: env() }).ended;
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('EEXIST; name a new file')]);
  });

  it('serves the API as tools over standard input and output', async () => {
    const connect = async (...args: string[]) => {
      const agent = new McpClient({ name: 'test', version: '1' });
      const [command = '', ...main] = MAIN_COMMAND;
      await agent.connect(
        new StdioClientTransport({ command, args: [...main, 'mcp', ...args], env: { ...env(), PATH: '' } }),
      );
      atEnd(() => agent.close());
      return agent;
    };
    const bodyOf = (result: unknown) =>
      JSON.parse(
        (result as CallToolResult).content.map((item) => (item.type === 'text' ? item.text : '')).join(''),
      );
    const [reader, writer] = await Promise.all([connect(), connect('--allow-writes')]);
    const me = await reader.callTool({ name: 'getKeyInfo', arguments: {} });
    expect(bodyOf(me)).toMatchObject({ firm: { id: firm.id } });
    expect((await reader.listTools()).tools.map(({ name }) => name)).not.toContain('sendClaim');
    const claim = {
      ...smallestClaim,
      external_id: 'MCP-1',
      claim_number: 'MCP-1',
      adjuster_svc_id: firm.account('manual'),
      idempotency_key: 'mcp-1',
    };
    const sent = await writer.callTool({ name: 'sendClaim', arguments: claim });
    expect(sent).toMatchObject({ isError: false });
    expect(bodyOf(sent)).toMatchObject({ external_id: 'MCP-1' });
    const wrong = await writer.callTool({ name: 'sendClaim', arguments: { ...claim, loss: {} } });
    expect(wrong).toMatchObject({ isError: true });
    expect(bodyOf(wrong)).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/loss/date' }] });
    expect(await heldWith('MCP')).toEqual(['MCP-1']);
  });
});

it('as a process exits without an error when its output pipe is closed', async () => {
  let count = 0;
  const changed = () => claimJson({ id: idOf(count++), instructions: 'x'.repeat(4000) });
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ data: Array.from({ length: 200 }, changed), next_cursor: null })),
  );
  const { url } = await listening(server);
  const running = start(['watch', '--interval', '1s', '--json'], {
    env: { CLAIMS_URL: url, CLAIMS_API_KEY: 'svc_test_x' },
  });
  running.child.stdout?.once('data', () => running.child.stdout?.destroy());
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
});
