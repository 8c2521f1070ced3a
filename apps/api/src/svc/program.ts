import { Command, Option } from 'commander';
import { addAdjusterCommands } from './adjuster.ts';
import { OPERATOR_NAME, parseText } from './arguments.ts';
import { addAuditCommands } from './audit.ts';
import { addCarrierCommands } from './carrier.ts';
import { addClaimCommands } from './claim.ts';
import { rejectRepeatedOptions } from './command.ts';
import { addDatabaseCommands } from './database.ts';
import { addDeadlineCommands } from './deadline.ts';
import { addEncryptionCommands } from './encryption.ts';
import { addFeedCommands } from './feed.ts';
import { addFirmCommands } from './firm.ts';
import { addKeyCommands } from './key.ts';
import { addMemberCommands } from './member.ts';
import { withoutControls } from './output.ts';
import { addPushCommands } from './push.ts';
import { addRequestsCommand } from './requests.ts';
import { createSessions, nameOperator } from './session.ts';
import { addStaffCommands } from './staff.ts';
import { addWebhookCommands } from './webhook.ts';

/** Values that were given may be long, or hold what a terminal would obey. */
const MAX_LINE_LENGTH = 500;
const shortened = (line: string): string => {
  const text = withoutControls(line);
  return text.length <= MAX_LINE_LENGTH
    ? text
    : `${text.slice(0, MAX_LINE_LENGTH / 2)}…${text.slice(-MAX_LINE_LENGTH / 2)}`;
};

/** The operator's command line. Each command prints fields or a table, or with --json one JSON document. */
export function createProgram(sessions = createSessions()): Command {
  const program = new Command('svc')
    .description('Operates the claim assignment service, whether or not a server is running.')
    .addOption(
      new Option(
        '--as <name>',
        'who runs the command, for the audit trail (SVC_OPERATOR; by default the system user)',
      ).argParser(parseText(OPERATOR_NAME)),
    )
    .configureOutput({ outputError: (text, write) => write(text.split('\n').map(shortened).join('\n')) })
    .hook('preAction', (program) => nameOperator(program.opts().as))
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see svc --help)');
  addFirmCommands(program, sessions);
  addKeyCommands(program, sessions);
  addAdjusterCommands(program, sessions);
  addMemberCommands(program, sessions);
  addStaffCommands(program, sessions);
  addClaimCommands(program, sessions);
  addCarrierCommands(program, sessions);
  addDeadlineCommands(program, sessions);
  addRequestsCommand(program, sessions);
  addAuditCommands(program, sessions);
  addEncryptionCommands(program, sessions);
  addFeedCommands(program, sessions);
  addDatabaseCommands(program, sessions);
  addPushCommands(program);
  addWebhookCommands(program, sessions);
  rejectRepeatedOptions(program);
  return program;
}
