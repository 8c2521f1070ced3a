import { createHmac, createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { DatabaseError } from '../src/driver/errors.ts';
import { Encryption, type FirmKeys, NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../src/encryption/personal-columns.ts';

const [ONE, OTHER] = ['1', '2'] as [FirmId, FirmId];
const keyOf = (id: number) => ({ id, key: createSecretKey(Buffer.alloc(32, id)) });
const withKeys = (...ids: number[]): FirmKeys => {
  const keys = ids.map(keyOf);
  return { current: keys.at(-1) ?? null, byId: new Map(keys.map((key) => [key.id, key])) };
};

/** With these keys of firms; those of the second one have to be read first. */
function encryptionWith(keys: Readonly<Record<string, FirmKeys>>) {
  const asked: string[] = [];
  const encryption = new Encryption({
    keysFor(firmId, use) {
      asked.push(`${firmId} ${use}`);
      const found = keys[firmId] ?? withKeys();
      return firmId === OTHER ? Promise.resolve(found) : found;
    },
  });
  return { asked, encryption };
}

const FIELDS = fieldsOf(PERSONAL.claims, (column) => `c_${column}`);
type Row = Record<string, string | null>;
const opened = (encryption: Encryption, rows: Row[]) =>
  encryption.decrypt(rows, FIELDS, ({ firm, id }) => ({ firmId: firm as FirmId, key: String(id) }));
const NOTES = 'enc:1:é\n';
const PLAIN = { c_document: '{"enc:1":1}', c_work_notes: NOTES, c_rejection_reason: 'enc', c_summary: null };

test('rows are encrypted with the latest key of their firm, and read with the keys of their time', async () => {
  const [before, now] = [
    encryptionWith({ [ONE]: withKeys(1) }),
    encryptionWith({ [ONE]: withKeys(1, 2), [OTHER]: withKeys(1, 2) }),
  ] as const;
  const rows: Row[] = [];
  for (const [n, firm] of [ONE, ONE, OTHER].entries()) {
    const encrypt = await (n === 0 ? before : now).encryption.encryptor(PERSONAL.claims, firm, `${n}`);
    rows.push({
      ...{
        firm,
        id: `${n}`,
        c_document: encrypt('document', PLAIN.c_document),
        c_summary: encrypt('summary', null),
      },
      ...{ c_work_notes: encrypt('work_notes', NOTES), c_rejection_reason: 'enc' },
    });
  }
  expect(rows.map((row) => [row.c_document?.slice(0, 7), row.c_work_notes?.slice(0, 6)])).toEqual([
    ['"enc:1:', 'enc:1:'],
    ...Array(2).fill(['"enc:2:', 'enc:2:']),
  ]);
  for (const { c_document } of rows) expect(JSON.parse(String(c_document))).toMatch(/^enc:\d:[\w+/]+=*$/);
  now.asked.length = 0;
  expect(await opened(now.encryption, rows)).toBe(rows);
  expect(rows).toEqual([ONE, ONE, OTHER].map((firm, n) => ({ firm, id: `${n}`, ...PLAIN })));
  expect(now.asked).toEqual([`${ONE} decrypt`, `${OTHER} decrypt`]);
});

test('what was stored without a key is read as it was, without asking for keys', async () => {
  const encrypt = await NO_ENCRYPTION.encryptor(PERSONAL.claims, ONE, '0');
  const stored = [NOTES, 'enc', 'a enc:', null].map((value) => encrypt('work_notes', value));
  expect(stored).toEqual([`enc:0:${NOTES}`, 'enc', 'a enc:', null]);
  const { asked, encryption } = encryptionWith({});
  const plain: Row[] = [{ c_document: 'enc:1:AAAA', c_work_notes: 'a enc:' }, { c_document: '"enc' }];
  expect(opened(encryption, plain)).toBe(plain);
  expect(asked).toEqual([]);
  const rows: Row[] = [`enc:0:${NOTES}`, 'enc:x', 'enc:1234567890:'].map((c_work_notes) => ({
    firm: ONE,
    c_work_notes,
  }));
  const read = (await opened(encryption, rows)).map(({ c_work_notes }) => c_work_notes);
  expect(read).toEqual([NOTES, 'enc:x', 'enc:1234567890:']);
});

test('a value that was moved or changed is an error, and one whose key is missing may be read later', async () => {
  const { encryption } = encryptionWith({ [ONE]: withKeys(1), [OTHER]: withKeys(1, 2) });
  const encrypt = await encryption.encryptor(PERSONAL.claims, ONE, '0');
  const value = encrypt('work_notes', 'text');
  const changed = value.replace(/.(?=.{20}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
  const moved = new DatabaseError(
    'An encrypted value of claims.work_notes was changed, or belongs to another row.',
  );
  for (const row of [
    { firm: ONE, id: '1', c_work_notes: value },
    { firm: OTHER, id: '0', c_work_notes: value },
    { firm: ONE, id: '0', c_work_notes: encrypt('rejection_reason', 'text') },
    { firm: ONE, id: '0', c_work_notes: changed },
  ])
    await expect(opened(encryption, [row])).rejects.toEqual(moved);
  const later = (await encryption.encryptor(PERSONAL.claims, OTHER, '0'))('work_notes', 'text');
  const missing = opened(encryption, [{ firm: ONE, id: '0', c_work_notes: later }]);
  await expect(missing).rejects.toBeInstanceOf(Unavailable);
  await expect(missing).rejects.toThrow(
    /^The data key 2 of claims.work_notes does not exist: its firm is being/,
  );
});

test('a row is found by a hash with the key of the service, and by what was stored before there was one', async () => {
  const { asked, encryption } = encryptionWith({ [SERVICE]: withKeys(1) });
  const hashOf = (column: string, text: string) =>
    createHmac('sha256', Buffer.alloc(32, 1))
      .update(JSON.stringify([`lookup/${column}`, text]))
      .digest('hex');
  for (const [table, column, text, compared] of [
    [PERSONAL.adjusters, 'adjusters.email_key', 'Ana@X.example', 'ana@x.example'],
    [PERSONAL.staff, 'staff.email_key', 'Ana@X.example', 'ana@x.example'],
    [PERSONAL.imports, 'imports.name_key', 'Storm', 'Storm'],
  ] as const) {
    expect(await encryption.lookupKeys(table, text)).toEqual([hashOf(column, compared), compared]);
    expect(await NO_ENCRYPTION.lookupKeys(table, text)).toEqual([compared]);
  }
  expect(asked).toEqual(Array(3).fill(`${SERVICE} encrypt`));
});
