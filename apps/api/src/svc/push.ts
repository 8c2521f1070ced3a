import type { Command } from 'commander';
import { createVapidKeys } from '../composition/notifications.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { printJson } from './output.ts';

export function addPushCommands(program: Command): void {
  const group = addGroup(program, 'push', 'messages to the devices of adjusters');

  addCommand(
    group,
    'create-keys',
    'print new VAPID keys for the environment; all processes need the same ones, and nothing is stored',
  ).action(({ json }: OutputOptions) => {
    const { publicKey, privateKey } = createVapidKeys();
    if (json) return printJson({ public_key: publicKey, private_key: privateKey });
    process.stdout.write(`VAPID_PUBLIC_KEY=${publicKey}\nVAPID_PRIVATE_KEY=${privateKey}\n`);
  });
}
