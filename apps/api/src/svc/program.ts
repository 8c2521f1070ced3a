import { Command } from 'commander';
import { addAdjusterCommands } from './adjuster.ts';
import { addAuditCommands } from './audit.ts';
import { addClaimCommands } from './claim.ts';
import { addDatabaseCommands } from './database.ts';
import { addDeadlineCommands } from './deadline.ts';
import { addEncryptionCommands } from './encryption.ts';
import { addFeedCommands } from './feed.ts';
import { addFirmCommands } from './firm.ts';
import { addKeyCommands } from './key.ts';
import { addMemberCommands } from './member.ts';
import { addRequestsCommand } from './requests.ts';
import { nameOperator } from './session.ts';

/** The operator's command line. Each command prints fields or a table, or with --json one JSON document. */
export function createProgram(): Command {
  const program = new Command('svc')
    .description('Operates the claim assignment service, whether or not a server is running.')
    .option(
      '--as <name>',
      'who runs the command, for the audit trail (SVC_OPERATOR; by default the system user)',
    )
    .hook('preAction', (program) => nameOperator(program.opts().as))
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(svc --help lists the commands)');
  addFirmCommands(program);
  addKeyCommands(program);
  addAdjusterCommands(program);
  addMemberCommands(program);
  addClaimCommands(program);
  addDeadlineCommands(program);
  addRequestsCommand(program);
  addAuditCommands(program);
  addEncryptionCommands(program);
  addFeedCommands(program);
  addDatabaseCommands(program);
  return program;
}
