import { type AccountReads, OperatorError, toDateTime } from '@svc/application';
import { LIMITS } from '@svc/contract';
import type { Adjuster, Instant, Svcid } from '@svc/domain';
import { Argument, type Command, Option } from 'commander';
import { passkeyToWire, sessionToWire } from '../http/serialization/adjuster.ts';
import { parseEmail, parseNewSvcId, parseText } from './arguments.ts';
import { addCommand, addGroup, type OutputOptions, svcIdOption } from './command.ts';
import { counted, print, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

const adjusterDocument = (adjuster: Adjuster) => ({
  svc_id: adjuster.svcId,
  test: adjuster.testOf !== null,
  first_name: adjuster.firstName,
  last_name: adjuster.lastName,
  email: adjuster.email,
  ...(adjuster.disabledAt !== undefined && { disabled_at: toDateTime(adjuster.disabledAt) }),
});

function printAdjuster(adjuster: Adjuster, options: OutputOptions): void {
  const document = adjusterDocument(adjuster);
  print(options, { adjuster: document }, document);
}

const svcIdArgument = () => new Argument('<svc-id>', "the adjuster's SVCID");

export function addAdjusterCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'adjuster', 'accounts of the adjuster app');
  /** Reads of an account that must exist. */
  const readAccount = <T>(
    svcId: Svcid,
    read: (reads: AccountReads, now: Instant) => Promise<T>,
  ): Promise<T> =>
    withService(async (services) => {
      if ((await services.appReads.adjuster(svcId)) === null)
        throw new OperatorError(`no adjuster has the SVCID ${svcId}`);
      return read(services.accountReads, services.clock.now());
    });

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
        const created = await withService((use) => use.createAdjuster({ svcId, firstName, lastName, email }));
        printAdjuster(created, options);
      },
    );

  addCommand(group, 'session', 'open a session; its token is shown once')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) => {
      const { token } = await withService((use) => use.openSession(svcId));
      print(options, { token }, token);
    });

  addCommand(group, 'disable', 'end all sessions, allow no sign-in, and withdraw pending offers')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) =>
      printAdjuster(await withService((use) => use.disableAdjuster(svcId)), options),
    );

  addCommand(group, 'enable', 'allow sign-in and offers again')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) =>
      printAdjuster(await withService((use) => use.enableAdjuster(svcId)), options),
    );

  addCommand(group, 'sessions', 'list the sessions of an account, latest use first')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) => {
      const sessions = await readAccount(svcId, (reads, now) => reads.sessions({ svcId }, now));
      const documents = sessions.map(sessionToWire);
      if (options.json) return printJson({ sessions: documents });
      printTable(documents, 'No sessions.');
    });

  addCommand(group, 'passkeys', 'list the passkeys of an account, oldest first')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) => {
      const passkeys = await readAccount(svcId, (reads) => reads.passkeys({ svcId }));
      const documents = passkeys.map(passkeyToWire);
      if (options.json) return printJson({ passkeys: documents });
      printTable(documents, 'No passkeys.');
    });

  addCommand(group, 'remove-passkeys', 'remove all passkeys of an account and end its sessions')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) => {
      const removed = await withService((use) => use.removePasskeys(svcId));
      print(options, { removed }, `${counted(removed, 'passkey')} removed.`);
    });

  addCommand(group, 'end-sessions', 'end all sessions of an account')
    .addArgument(svcIdArgument())
    .action(async (svcId: Svcid, options: OutputOptions) => {
      const ended = await withService((use) => use.endSessions(svcId));
      print(options, { ended }, `${counted(ended, 'session')} ended.`);
    });
}
