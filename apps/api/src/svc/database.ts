import { OperatorError, toDateTime } from '@svc/application';
import type { Command } from 'commander';
import { readSchemaState } from '../composition/compose.ts';
import { addCommand, type OutputOptions } from './command.ts';
import { diagnose } from './doctor.ts';
import { printJson, printTable } from './output.ts';
import { withService } from './session.ts';

export function addDatabaseCommands(program: Command): void {
  addCommand(program, 'migrate', 'bring the schema up to date').action(async (options: OutputOptions) => {
    // withService migrates before it calls this.
    const state = await withService((_, migrationUrl) => readSchemaState(migrationUrl));
    const applied = state.applied.map((migration) => ({ ...migration, at: toDateTime(migration.at) }));
    if (options.json) return printJson({ ...state, applied });
    process.stdout.write('The schema is up to date.\n');
  });

  addCommand(program, 'doctor', 'check connections, versions and configuration').action(
    async (options: OutputOptions) => {
      const report = await diagnose();
      if (options.json) printJson(report);
      else printTable(report.checks, 'no checks');
      if (!report.ok) throw new OperatorError('some checks failed; see above');
    },
  );
}
