import { LIMITS } from '@svc/contract';
import { DEADLINE_KINDS, DEADLINE_RULES, type DeadlineKind } from '@svc/domain';
import { type Command, Option } from 'commander';
import { parseIntegerWithin, parseText } from './arguments.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { print, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

const eventOption = () =>
  new Option('--event <code>', 'catastrophe code of the event, as in the claims')
    .argParser(parseText(LIMITS.catastropheCode))
    .makeOptionMandatory();
const kindOption = () =>
  new Option('--kind <kind>', 'what is due').choices(DEADLINE_KINDS).makeOptionMandatory();

interface DeadlineOptions extends OutputOptions {
  readonly event: string;
  readonly kind: DeadlineKind;
}

export function addDeadlineCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'deadline', 'deadlines of accepted claims, as the adjuster app shows them');

  addCommand(group, 'list', 'list the deadlines, and those of single events').action(
    async (options: OutputOptions) => {
      const overrides = await withService((services) => services.jobReads.deadlineOverrides());
      const general = DEADLINE_RULES.map(({ kind, from, hours, source }) => ({
        event: null,
        kind,
        from,
        hours,
        source,
      }));
      const ofEvents = overrides.map(({ event, kind, hours, source }) => ({
        event,
        kind,
        from: DEADLINE_RULES.find((rule) => rule.kind === kind)?.from,
        hours,
        source,
      }));
      const deadlines = [...general, ...ofEvents];
      if (options.json) return printJson({ deadlines });
      printTable(deadlines, 'none');
    },
  );

  addCommand(group, 'set', 'give the claims of one event another deadline, such as after a FEMA bulletin')
    .addOption(eventOption())
    .addOption(kindOption())
    .addOption(
      new Option(
        '--hours <n>',
        'hours from the acceptance, or from the end of the date of loss; whole days of reports are counted on the calendar',
      )
        .argParser(parseIntegerWithin(LIMITS.deadlineHours))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--source <text>', 'where it is written; adjusters see it')
        .argParser(parseText(LIMITS.deadlineSource))
        .makeOptionMandatory(),
    )
    .action(async (options: DeadlineOptions & { hours: number; source: string }) => {
      const { event, kind, hours, source } = options;
      const deadline = { event, kind, hours, source };
      await withService((use) => use.setDeadline(deadline));
      if (options.json) return printJson({ deadline });
      printTable([deadline], 'none');
    });

  addCommand(group, 'remove', 'give the claims of one event the general deadline again')
    .addOption(eventOption())
    .addOption(kindOption())
    .action(async ({ event, kind, json }: DeadlineOptions) => {
      await withService((use) => use.removeDeadline(event, kind));
      print({ json }, { removed: { event, kind } }, 'Removed.');
    });
}
