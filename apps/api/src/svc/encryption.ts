import type { Command } from 'commander';
import { addCommand, addGroup, type OutputOptions } from './command.ts';
import { counted, print, printFields, printJson, progressOf } from './output.ts';
import type { Sessions } from './session.ts';

export function addEncryptionCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'encryption', 'encryption of personal data in the database');

  addCommand(
    group,
    'status',
    'show which keys are in use, and how many rows are stored as plain text',
  ).action(async (options: OutputOptions) => {
    const status = await withService((services) => services.encryption.status());
    const dataKeys = Object.fromEntries(
      status.dataKeys.map(({ wrappingKeyId, count }) => [wrappingKeyId, count]),
    );
    if (options.json)
      return printJson({
        key_id: status.wrappingKeyId,
        data_keys: dataKeys,
        plain_rows: status.plainRows,
        rejects_plain_text: status.rejectsPlainText,
      });
    printFields({ 'current key': status.wrappingKeyId ?? 'none: encryption is off' });
    for (const [id, count] of Object.entries(dataKeys)) printFields({ [`data keys of ${id}`]: count });
    for (const [table, count] of Object.entries(status.plainRows))
      printFields({ [`plain rows in ${table}`]: count });
    printFields({ 'rejects plain text': status.rejectsPlainText });
  });

  addCommand(group, 'rotate', 'encrypt the data keys with the first key of ENCRYPTION_KEY').action(
    async (options: OutputOptions) => {
      const changed = await withService((use) => use.rotateEncryption(progressOf('data keys')));
      print(options, { data_keys: changed }, `${counted(changed, 'data key')} changed.`);
    },
  );

  addCommand(
    group,
    'apply',
    'encrypt rows that were stored before encryption was on, and reject plain text from then on',
  ).action(async (options: OutputOptions) => {
    const rows = await withService((use) => use.encryptExisting(progressOf('rows')));
    print(options, { rows }, `${counted(rows, 'row')} encrypted.`);
  });
}
