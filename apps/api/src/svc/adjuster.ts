import { LIMITS } from '@svc/contract';
import type { Adjuster, Svcid } from '@svc/domain';
import { type Command, Option } from 'commander';
import { TOKENS } from '../composition/tokens.ts';
import { parseEmail, parseNewSvcId, parseText } from './arguments.ts';
import { addCommand, addGroup, type OutputOptions, svcIdOption } from './command.ts';
import { printFields, printJson } from './output.ts';
import { withService } from './session.ts';

const adjusterDocument = (adjuster: Adjuster) => ({
  svc_id: adjuster.svcId,
  test: adjuster.testOf !== null,
  first_name: adjuster.firstName,
  last_name: adjuster.lastName,
  email: adjuster.email,
});

export function addAdjusterCommands(program: Command): void {
  const group = addGroup(program, 'adjuster', 'accounts of the adjuster app');

  addCommand(group, 'create', 'create an account; profile fields may be filled in later')
    .addOption(svcIdOption(parseNewSvcId))
    .addOption(new Option('--first-name <name>').argParser(parseText(LIMITS.personName)))
    .addOption(new Option('--last-name <name>').argParser(parseText(LIMITS.personName)))
    .addOption(new Option('--email <address>').argParser(parseEmail))
    .action(
      async (
        options: OutputOptions & { svcId: Svcid; firstName?: string; lastName?: string; email?: string },
      ) => {
        const { svcId, firstName = null, lastName = null, email = null } = options;
        const created = await withService((services) =>
          services.get(TOKENS.createAdjuster)({ svcId, firstName, lastName, email }),
        );
        const document = adjusterDocument(created);
        if (options.json) return printJson({ adjuster: document });
        printFields(document);
      },
    );

  addCommand(group, 'session', 'open a session; its token is shown once')
    .argument('<svc-id>', "the adjuster's SVCID")
    .action(async (svcId: Svcid, options: OutputOptions) => {
      const { token } = await withService((services) => services.get(TOKENS.openSession)(svcId));
      if (options.json) return printJson({ token });
      process.stdout.write(`${token}\n`);
    });
}
