import { OperatorError, toDateTime } from '@svc/application';
import type { Command } from 'commander';
import { distributeDatabase, readSchemaState, type TablePlacement } from '../composition/compose.ts';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { checkSchema, diagnose } from './doctor.ts';
import { printJson, printTable } from './output.ts';
import { withDatabase } from './session.ts';

const PLACEMENTS: Readonly<Record<TablePlacement, string>> = {
  reference: 'a copy on every node',
  distributed: 'split by firm over the workers',
  coordinator: 'on the coordinator',
};

export function addDatabaseCommands(program: Command): void {
  addCommand(program, 'migrate', 'bring the schema up to date').action(async (options: OutputOptions) => {
    // withDatabase migrates before it calls this.
    const { state, now } = await withDatabase(async (migrationUrl, now) => ({
      state: await readSchemaState(migrationUrl),
      now,
    }));
    const applied = state.applied.map((migration) => ({ ...migration, at: toDateTime(migration.at) }));
    const check = checkSchema(state);
    if (options.json) printJson({ ...state, applied, applied_now: now });
    else if (now.length > 0)
      process.stdout.write(`Applied: ${now.map(({ id, name }) => `${id} (${name})`).join(', ')}.\n`);
    else process.stdout.write('Nothing to apply.\n');
    if (check.state === 'wrong') throw new OperatorError(`the schema was ${check.detail}`);
    if (!options.json)
      process.stdout.write(`The schema ${check.state === 'ok' ? 'is ' : ''}${check.detail}.\n`);
  });

  const database = addGroup(program, 'database', 'where the tables are');
  addCommand(
    database,
    'distribute',
    'lay out the tables over a Citus cluster, by firm; again after each upgrade, for new tables',
  ).action(async (options: OutputOptions) => {
    const { citus, workers, tables } = await withDatabase(distributeDatabase);
    if (options.json) return printJson({ citus, workers, tables });
    printTable(
      tables.map(({ table, placement, changed }) => ({
        table,
        placement: PLACEMENTS[placement],
        moved: changed ? 'now' : 'before',
      })),
      'no tables',
    );
    process.stdout.write(`Citus ${citus}, ${workers} workers.\n`);
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
