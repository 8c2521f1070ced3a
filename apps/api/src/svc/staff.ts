import { OperatorError } from '@svc/application';
import { LIMITS } from '@svc/contract';
import { emailKey, type FirmId, STAFF_ROLES, type StaffMember, type StaffRole } from '@svc/domain';
import { type Command, Option } from 'commander';
import type { Services } from '../composition/container.ts';
import { staffToWire } from '../http/serialization/staff.ts';
import { parseEmail, parseText } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { counted, print, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

interface StaffOptions extends OutputOptions {
  readonly firm: FirmId;
  readonly email: string;
}

const emailOption = () =>
  new Option('--email <address>', 'the email address of the person')
    .argParser(parseEmail)
    .makeOptionMandatory();
const roleOption = () =>
  new Option('--role <role>', 'what the person may do').choices(STAFF_ROLES).makeOptionMandatory();

const staffDocuments = async (services: Services, firm: FirmId) => {
  const keys = await services.operatorReads.workingKeys(firm, services.clock.now());
  return (member: StaffMember) => staffToWire(member, keys);
};

async function memberOf(services: Services, { firm, email }: StaffOptions): Promise<StaffMember> {
  await findFirm(services.operatorReads, firm);
  const members = await services.staffReads.ofFirm(firm);
  const member = members.find((one) => emailKey(one.email) === emailKey(email));
  if (member === undefined) throw new OperatorError(`no staff member of the firm ${firm} has this address`);
  return member;
}

export function addStaffCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'staff', 'people of a firm, who work at its desk');

  addCommand(group, 'invite', 'add a person, who signs in with a code sent to the address')
    .addOption(firmOption())
    .addOption(emailOption())
    .addOption(
      new Option('--name <name>', 'name of the person')
        .argParser(parseText(LIMITS.fullName))
        .makeOptionMandatory(),
    )
    .addOption(roleOption())
    .action(async (options: StaffOptions & { name: string; role: StaffRole }) => {
      const { firm: firmId, email, name, role } = options;
      const member = await withService(async (services) => {
        await findFirm(services.operatorReads, firmId);
        return staffToWire(await services.inviteStaff(services.operator, { firmId, email, name, role }), []);
      });
      print(options, { staff: member }, member);
    });

  addCommand(group, 'list', "list a firm's staff")
    .addOption(firmOption())
    .action(async (options: OutputOptions & { firm: FirmId }) => {
      const documents = await withService(async (services) => {
        await findFirm(services.operatorReads, options.firm);
        await services.recordOperatorAction(options.firm, 'staff.read');
        const document = await staffDocuments(services, options.firm);
        return (await services.staffReads.ofFirm(options.firm)).map(document);
      });
      if (options.json) return printJson({ staff: documents });
      printTable(documents, 'The firm has no staff.');
    });

  addCommand(group, 'set-role', 'give a person another role, in force within a second')
    .addOption(firmOption())
    .addOption(emailOption())
    .addOption(roleOption())
    .action(async (options: StaffOptions & { role: StaffRole }) => {
      const { role } = options;
      const changed = await withService(async (services) => {
        const member = await memberOf(services, options);
        const updated = await services.updateStaff(services.operator, member, { role });
        return (await staffDocuments(services, options.firm))(updated);
      });
      print(options, { staff: changed }, changed);
    });

  addCommand(group, 'remove', 'remove a person and end their sessions, within a second')
    .addOption(firmOption())
    .addOption(emailOption())
    .option('--revoke-keys', 'also revoke the working keys that the person made')
    .action(async (options: StaffOptions & { revokeKeys?: true }) => {
      const removed = await withService(async (services) => {
        const member = await services.removeStaff(services.operator, await memberOf(services, options));
        if (options.revokeKeys) await services.revokeKeysOfMaker(services.operator, member);
        return (await staffDocuments(services, options.firm))(member);
      });
      print(options, { staff: removed }, removed);
      if (removed.working_keys > 0)
        process.stderr.write(
          `Not revoked: ${counted(removed.working_keys, 'key')} of the person; see svc key list --firm ${options.firm}\n`,
        );
    });

  addCommand(group, 'session', 'open a session; its token is shown once')
    .addOption(firmOption())
    .addOption(emailOption())
    .action(async (options: StaffOptions) => {
      const { token } = await withService(async (services) =>
        services.openStaffSession(services.operator, await memberOf(services, options)),
      );
      print(options, { token }, token);
    });
}
