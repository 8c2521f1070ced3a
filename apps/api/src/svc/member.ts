import type { FirmId, Membership, Svcid } from '@svc/domain';
import { type Command, Option } from 'commander';
import { parseBoolean } from './arguments.ts';
import { addCommand, addGroup, firmOption, type OutputOptions, svcIdOption } from './command.ts';
import { print } from './output.ts';
import type { Sessions } from './session.ts';

interface MemberOptions extends OutputOptions {
  readonly firm: FirmId;
  readonly svcId: Svcid;
}

const memberDocument = (membership: Membership) => ({
  firm_id: membership.firmId,
  svc_id: membership.svcId,
  // Of members only, so it does not depend on the time.
  status: membership.status,
  can_accept_claims: membership.canAcceptClaims,
  accepting_assignments: membership.acceptingAssignments,
});

function printMember(membership: Membership, options: OutputOptions): void {
  const document = memberDocument(membership);
  print(options, { member: document }, document);
}

export function addMemberCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'member', 'adjusters in firms');

  addCommand(group, 'add', 'make an adjuster a member without an invitation')
    .addOption(firmOption())
    .addOption(svcIdOption())
    .action(async (options: MemberOptions) => {
      const { firm, svcId } = options;
      printMember(await withService((use) => use.addMember(firm, svcId)), options);
    });

  addCommand(group, 'set', 'grant or revoke the permission to accept claims')
    .addOption(firmOption())
    .addOption(svcIdOption())
    .addOption(new Option('--can-accept-claims <boolean>').argParser(parseBoolean).makeOptionMandatory())
    .action(async (options: MemberOptions & { canAcceptClaims: boolean }) => {
      const { firm, svcId, canAcceptClaims } = options;
      printMember(await withService((use) => use.setMember(firm, svcId, canAcceptClaims)), options);
    });

  addCommand(group, 'remove', 'end a membership: pending offers become unassigned')
    .addOption(firmOption())
    .addOption(svcIdOption())
    .action(async (options: MemberOptions) => {
      const { firm, svcId } = options;
      printMember(await withService((use) => use.removeMember(firm, svcId)), options);
    });
}
