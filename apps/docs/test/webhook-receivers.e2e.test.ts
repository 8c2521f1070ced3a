// Runs the receivers of webhooks as a reader would.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { webhooks } from '@svc/contract';
import { freePort } from '@svc/embedded-postgres';
import { eventually } from '@svc/testkit/eventually';
import { Webhook } from 'standardwebhooks';
import { findCommand } from '../../../tools/services/debian-package.ts';

const run = promisify(execFile);
const fileAt = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const TSC = fileAt('node_modules/typescript/bin/tsc');
const TYPES = fileAt('node_modules/@types');

interface Receiver {
  readonly language: string;
  readonly file: string;
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  /** The last one starts it. */
  readonly commands: readonly (readonly [string, ...string[]])[];
}

const RECEIVERS: readonly Receiver[] = [
  {
    language: 'Python',
    file: 'webhook_receiver.py',
    needs: ['python3'],
    commands: [['python3', 'webhook_receiver.py']],
  },
  {
    language: 'TypeScript',
    file: 'webhook-receiver.mts',
    needs: [],
    commands: [
      [
        process.execPath,
        ...[TSC, '--strict', '--module', 'nodenext', '--target', 'es2022', '--outDir', 'out'],
        ...['--typeRoots', TYPES, '--types', 'node', 'webhook-receiver.mts'],
      ],
      [process.execPath, 'out/webhook-receiver.mjs'],
    ],
  },
  {
    language: 'Java',
    file: 'WebhookReceiver.java',
    needs: ['java', 'javac'],
    commands: [['java', 'WebhookReceiver.java']],
  },
  {
    language: 'C#',
    file: 'WebhookReceiver.cs',
    needs: ['mcs', 'mono'],
    commands: [
      ['mcs', 'WebhookReceiver.cs'],
      ['mono', 'WebhookReceiver.exe'],
    ],
  },
];

async function sendToReceiver({ file, commands }: Receiver) {
  const folder = await mkdtemp(join(tmpdir(), 'receiver-'));
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const port = await freePort();
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, CLAIMS_WEBHOOK_SECRET: secret, PORT: String(port) };
  await copyFile(join(fileAt('docs/quick-starts'), file), join(folder, file));
  const [[command, ...args], ...before] = [...commands].reverse() as [[string, ...string[]]];
  for (const [compiler, ...rest] of before as [string, ...string[]][])
    await run(compiler, rest, { cwd: folder, env });
  const receiver = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [receiver.stdout, receiver.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  const body = JSON.stringify(webhooks['claims.changed'].example);
  const send = async (sent: string, signedBy: string, at = new Date()): Promise<number> => {
    const headers = {
      'webhook-id': 'id-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      // As while a secret is rolled.
      'webhook-signature': `v1,AAAA ${new Webhook(signedBy).sign('id-1', at, body)}`,
    };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent })).status;
  };
  try {
    await eventually(
      () => send('', secret).catch(() => null),
      (status) => status !== null,
    );
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    const statuses = [
      await send(body, secret),
      await send(body.replace('live', 'test'), secret),
      await send(body, other),
      await send(body, secret, new Date(Date.now() - 600_000)),
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).status,
      await send(JSON.stringify(body).repeat(1000), secret).then(
        (status) => (status === 401 ? 'refused' : status),
        () => 'refused',
      ),
      await send(body, secret),
    ];
    await eventually(
      async () => printed,
      (text) => text.split('\n').length > 2,
    );
    return { statuses, printed };
  } finally {
    receiver.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

it('each receiver takes webhooks that the service has signed now, and no others', async () => {
  const installed = RECEIVERS.filter(({ needs }) => needs.every((command) => findCommand(command)));
  const found = await Promise.all(
    installed.map(async (receiver) => ({
      language: receiver.language,
      ...(await sendToReceiver(receiver)),
    })),
  );
  expect(found).toEqual(
    installed.map(({ language }) => ({
      language,
      statuses: [204, 401, 401, 401, 401, 'refused', 204],
      printed: 'claims.changed live\nclaims.changed live\n',
    })),
  );
});
