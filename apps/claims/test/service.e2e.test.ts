import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createClient, type ReceiptContent } from '@svc/client';
import { smallestClaim } from '@svc/contract';
import { createFirm, startRealService } from '../../../packages/client/test/real-service.ts';
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

  it('serves the tools to an agent over its standard input and output', async () => {
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const asked = [
      { id: 1, method: 'initialize', params: client },
      { id: 2, method: 'tools/list' },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    const { code, stdout, stderr } = await start(['mcp'], { env: env(), stdin: `${asked.join('\n')}\n` })
      .ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(jsonLines(stdout)).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'claim-assignment' } } },
      { id: 2, result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'getClaim' })]) } },
    ]);
  });

  it('verifies a receipt with the keys of the service; its members are those of the SDK and of the guide', async () => {
    await start(['send', await fileOf('RECEIPT', 1)], { env: env() }).ended;
    const [claim] = (await client.claims.list({ external_id: 'RECEIPT-1' })).items;
    const { receipt } = await client.claims.receipt(claim?.id ?? '');
    const fromService = ['verify-receipt', '-', '--json', '--url', service.url];
    const content = await start(fromService, { stdin: receipt }).ended;
    const shown = JSON.parse(content.stdout);
    expect(shown).toMatchObject({ external_id: 'RECEIPT-1' });
    expect(Object.keys(shown).sort()).toEqual(Object.keys(RECEIPT_MEMBERS).sort());
    const guide = await readFile(new URL('../../../docs/guides/receipts.md', import.meta.url), 'utf8');
    expect(Object.keys(shown).filter((member) => !guide.includes(`\`${member}`))).toEqual([
      'iss',
      'iat',
      'version',
    ]);
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
});

it('the SDK sends, offers, invites and withdraws once where the response to each is lost', async () => {
  const { account, testKey } = await createFirm(service);
  const calls: string[] = [];
  const { adjusters, claims, invitations, sandbox } = createClient({
    ...{ baseUrl: service.url, apiKey: testKey, backoff: { baseMs: 1 } },
    onRetry: ({ operation, error }) => calls.push(`${operation} ${error.name}`),
    onResponse: ({ operation, status, replayed }) => calls.push(`${operation} ${status} ${replayed}`),
  });
  const lose = () => sandbox.simulateFaults({ kind: 'dropped_write', count: 1 });
  await lose();
  const offer = { adjuster_svc_id: account('manual') };
  const { id } = await claims.send({ ...smallestClaim, ...offer });
  await lose();
  await claims.offer(id, offer);
  expect((await claims.list()).items.map((one) => one.id)).toEqual([id]);
  await lose();
  const { status } = await adjusters.invite({ svc_id: account('new') });
  await lose();
  const withdrawn = await invitations.withdraw(account('new'));
  expect([status, withdrawn.status]).toEqual(['pending', 'withdrawn']);
  const isWrite = (call: string) => !/^(simulateFaults|list)/.test(call);
  expect(calls.filter(isWrite)).toEqual([
    ...['sendClaim ClaimsConnectionError', 'sendClaim 201 true'],
    ...['offerClaim ClaimsConnectionError', 'offerClaim 200 true'],
    ...['inviteAdjuster ClaimsConnectionError', 'inviteAdjuster 409 false'],
    ...['withdrawInvitation ClaimsConnectionError', 'withdrawInvitation 404 false'],
  ]);
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

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const home = temporaryFolder();
await mkdir(join(home, 'bin'));
const quoted = MAIN_COMMAND.map((part) => `'${part}'`).join(' ');
await program('claims', `#!/bin/sh\nexec ${quoted} "$@"\n`);
// The one thing that the examples do with jq: reading a value by its name.
await program(
  'jq',
  `#!${process.execPath}\nconst { [process.argv.at(-1).slice(1)]: value } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\nconsole.log(value);\n`,
);

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(home, 'bin', name), text);
  await chmod(join(home, 'bin', name), 0o755);
}

/** Each command with its output in the README. */
function readCommands(markdown: string): { command: string; output: string }[] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => {
        const heredoc = /^.*<<'END'\n[\s\S]*?^END\n/m.exec(entry)?.[0];
        const command = heredoc ?? entry.slice(0, entry.indexOf('\n') + 1);
        return { command, output: entry.slice(command.length) };
      }),
  );
}

/** A line of `…` alone stands for any lines, elsewhere for any text of one line; rows may be padded. */
function pattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => {
    if (line === '…') return '(?:.*\\n)*?.*';
    const escaped = line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return escaped.replaceAll('…', '.*').replace(/ {2,}/g, ' +');
  });
  return new RegExp(`^${lines.join('\\n')}$`);
}

it('the commands of the README print what it says', async () => {
  const { account, testKey } = await createFirm(service);
  const named = (text: string) =>
    text.replaceAll('ACCEPTS', account('accepts')).replace(/\bNEW\b/g, account('new'));
  const commands = readCommands(await readFile(README, 'utf8'));
  expect(commands.length).toBeGreaterThanOrEqual(15);

  // One shell for all commands; a marker ends the output of each.
  const script = commands.map(({ command }) => `${named(command)}printf '\\n==== end\\n'\n`).join('');
  const printed = await new Promise<string>((resolve) => {
    const { PATH = '' } = process.env;
    const env = {
      PATH: `${join(home, 'bin')}:${PATH}`,
      HOME: home,
      YOUR_KEY: testKey,
      YOUR_URL: service.url,
    };
    const shell = execFile('/bin/bash', ['-c', `exec 2>&1\n${script}`], { cwd: home, env }, (_, stdout) =>
      resolve(stdout),
    );
    shell.stdin?.end();
  });
  const outputs = printed.split('\n==== end\n').slice(0, -1);
  expect(outputs).toHaveLength(commands.length);
  for (const [i, { command, output }] of commands.entries()) {
    expect(`$ ${command}${outputs[i]}`).toMatch(prefixed(`$ ${command}`, pattern(named(output))));
  }
});

/** With the command, to identify it in a mismatch. */
const prefixed = (command: string, { source }: RegExp): RegExp =>
  new RegExp(`^${command.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${source.slice(1)}`);
