import { toDateTime } from '@svc/application';
import type { Instant } from '@svc/domain';
import { type Command, Option } from 'commander';
import { parseTime } from './arguments.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { counted, printJson, progressOf } from './output.ts';
import type { Sessions } from './session.ts';

export function addFeedCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'feed', "the change feeds that firms' systems poll");

  addCommand(
    group,
    'restamp',
    'after a restore to an earlier time: deliver every claim that may have changed since once more',
  )
    .addOption(
      new Option('--since <time>', 'to which the database was restored, such as 2026-08-29T14:05:00Z')
        .argParser(parseTime)
        .makeOptionMandatory(),
    )
    .action(async ({ since, json }: OutputOptions & { since: Instant }) => {
      const claims = await withService((use) => use.restampFeeds(since, progressOf('claims')));
      if (json) return printJson({ since: toDateTime(since), claims });
      process.stdout.write(
        `${counted(claims, 'claim')} will be delivered once more, in the current state. /status says so for 30 days.\n` +
          'Claims that were sent after that time are lost; the firms have to send them again.\n',
      );
    });
}
