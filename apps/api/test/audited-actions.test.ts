import { expect, test } from '@jest/globals';
import type { AuditAction } from '@svc/domain';
import type { Command } from 'commander';
import { createProgram } from '../src/svc/program.ts';

/** What each command of the operator is recorded as. */
const COMMANDS: Readonly<Record<string, AuditAction | 'changes no data of firms or people' | 'only reads'>> =
  {
    'firm create': 'firm.create',
    'firm list': 'only reads',
    'firm busiest': 'only reads',
    'firm show': 'only reads',
    'firm set-plan': 'firm.plan',
    'firm set-offer-wait': 'firm.offer_wait',
    'firm set-limits': 'firm.limits',
    'firm export': 'firm.export',
    'firm erase': 'firm.erase',
    'firm hold': 'firm.hold',
    'firm release': 'firm.release',
    'key create': 'key.create',
    'key list': 'keys.read',
    'key revoke': 'key.revoke',
    'key roll': 'key.roll',
    'adjuster create': 'adjuster.create',
    'adjuster session': 'session.open',
    'adjuster disable': 'adjuster.disable',
    'adjuster enable': 'adjuster.enable',
    'adjuster sessions': 'only reads',
    'adjuster passkeys': 'only reads',
    'adjuster remove-passkeys': 'passkey.remove',
    'adjuster end-sessions': 'sessions.end',
    'member add': 'member.add',
    'member set': 'member.permission',
    'member remove': 'member.remove',
    'staff invite': 'staff.invite',
    'staff list': 'staff.read',
    'staff set-role': 'staff.role',
    'staff remove': 'staff.remove',
    'staff session': 'session.open',
    'claim close': 'claim.close',
    'claim show': 'only reads',
    'claim trace': 'only reads',
    'carrier list': 'only reads',
    'carrier show': 'only reads',
    'carrier set': 'carrier.change',
    'carrier remove': 'carrier.remove',
    'deadline list': 'only reads',
    'deadline set': 'deadline.change',
    'deadline remove': 'deadline.change',
    requests: 'only reads',
    'audit list': 'audit.read',
    'audit export': 'audit.export',
    'audit verify': 'audit.verify',
    'encryption status': 'only reads',
    'encryption rotate': 'encryption.rotate',
    'encryption apply': 'encryption.apply',
    'feed restamp': 'feed.restamp',
    migrate: 'database.migrate',
    'database backup': 'database.backup',
    'database restore': 'database.restore',
    'database move': 'database.move',
    'database distribute': 'database.distribute',
    doctor: 'only reads',
    'push create-keys': 'changes no data of firms or people',
    'webhook create': 'webhook.create',
    'webhook list': 'webhooks.read',
    'webhook roll': 'webhook.roll',
    'webhook remove': 'webhook.remove',
    'webhook resume': 'webhook.resume',
    'webhook test': 'webhook.test',
    'webhook replay': 'webhook.replay',
    'webhook deliveries': 'webhooks.read',
  };

const commandsOf = ({ commands }: Command, before = ''): string[] =>
  commands.flatMap((command) => {
    const name = `${before}${command.name()}`;
    return command.commands.length === 0 ? [name] : commandsOf(command, `${name} `);
  });

test('every command of the operator is listed with the action by which it is recorded', () => {
  expect(commandsOf(createProgram()).sort()).toEqual(Object.keys(COMMANDS).sort());
});
