import { expect, test } from '@jest/globals';
import { restoreBackup } from '../src/schema/backup.ts';

const NONE = 'this is no backup of the service';
const LINE = `{"format":"claims-backup-1",\n`;
test.each<[chunks: string[], error: string]>([
  [[], NONE],
  [['{"format":"claims-backup-2"}\n'], NONE],
  [['{"format":"other",', '"schema":"x"}'], NONE],
  [[LINE], `${NONE}, or it is damaged`],
  [['7\n'], `${NONE}, or it is damaged`],
  [['null\n'], `${NONE}, or it is damaged`],
  [['x'.repeat(16 * 1024 * 1024), 'x\n'], `${NONE}, or it is damaged`],
  [
    ['x'.repeat(8 * 1024 * 1024), 'x'.repeat(8 * 1024 * 1024), 'x'],
    'the backup is damaged: it has too long a row',
  ],
  [
    ['{"format":"claims-', 'backup-1","schema":"other"}\n{"table'],
    'the backup is of another release of the service: restore it with that release',
  ],
])('what is no backup of this release is refused before the database is asked: %#', async (chunks, error) => {
  const file = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  };
  await expect(restoreBackup('postgres:///claims?host=/missing', file())).rejects.toThrow(new Error(error));
});
