// Runs the receivers of webhooks as a reader would.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { webhooks } from '@svc/contract';
import { freePort } from '@svc/embedded-postgres';
import { eventually } from '@svc/testkit/eventually';
import { Webhook } from 'standardwebhooks';
import { atEnd } from '../../../tools/services/at-end.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { installedPrograms, type Program } from './programs.ts';

async function sendToReceiver({ command, compileIn }: Program) {
  const folder = temporaryFolder();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const port = await freePort();
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, CLAIMS_WEBHOOK_SECRET: secret, PORT: String(port) };
  await compileIn(folder);
  const [program, ...args] = command;
  const receiver = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd(() => receiver.kill('SIGKILL'));
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
}

it('each receiver takes webhooks that the service has signed now, and no others', async () => {
  const files = ['webhook_receiver.py', 'webhook-receiver.mts', 'WebhookReceiver.java', 'WebhookReceiver.cs'];
  const installed = installedPrograms(files);
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
