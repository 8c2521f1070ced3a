import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { svcIdsIn } from '../src/svc-ids.ts';

const listed = (text: string) => svcIdsIn(text).entries.map(({ svcId }) => svcId);

test('SVCIDs are read one in a line, with blank lines, a header or none, and as spreadsheets change them', () => {
  const read = svcIdsIn(
    '\ufeffSVC ID\r\n SVC-1 \r\n\r\n\u200bSVC\u20112\u200b\r\n ="SVC-3 "\r\n"SVC-4"\r\n\u00a0SVC–5\u22126',
  );
  expect(read).toEqual({
    entries: [
      { row: 2, svcId: 'SVC-1' },
      { row: 4, svcId: 'SVC-2' },
      { row: 5, svcId: 'SVC-3' },
      { row: 6, svcId: 'SVC-4' },
      { row: 7, svcId: 'SVC-5-6' },
    ],
    leftOut: [],
  });
  expect(listed('SVC-1\nSVC-2')).toEqual(['SVC-1', 'SVC-2']);
  expect(listed('SVC-1, SVC-2;x\n')).toEqual(['SVC-1', 'SVC-2;x']);
  expect(listed('\nSVC-1\t\tSVC-2\n')).toEqual(['SVC-1', 'SVC-2']);
  for (const blank of ['', ' \n\t\n', '\ufeff']) expect(listed(blank)).toEqual([]);
});

test('of a table, the column of SVCIDs is read, and the names of the others are said', () => {
  const rows = 'Jean Delacroix,jean1@example.com,SVC-7\nAda Okafor,ada2@example.com,SVC-8\n';
  const both = [
    { row: 1, svcId: 'SVC-7' },
    { row: 2, svcId: 'SVC-8' },
  ];
  expect(svcIdsIn(rows)).toEqual({ entries: both, leftOut: ['Column 1', 'Column 2'] });
  const moved = both.map(({ row, svcId }) => ({ row: row + 1, svcId }));
  // A name counts for more than what the cells look like.
  const likeIds = rows.replaceAll(' ', '1');
  for (const name of ['SVCID', 'svc_id', 'Adjuster ID', 'adjuster_svc_id', 'Id', 'Code'])
    expect(svcIdsIn(`Name,E-mail,${name}\n${name === 'Code' ? rows : likeIds}`)).toEqual({
      entries: moved,
      leftOut: ['Name', 'E-mail'],
    });
  expect(svcIdsIn('Team\nJean D,SVC-7\nAda O,SVC-8')).toEqual({ entries: moved, leftOut: ['Team'] });
  expect(svcIdsIn('a 1\tSVC-7\t\nb 2\tSVC-8\t\n')).toEqual({ entries: both, leftOut: ['Column 1'] });
  expect(svcIdsIn('SVCID,Team,\nSVC-1,,x')).toEqual({
    entries: [{ row: 2, svcId: 'SVC-1' }],
    leftOut: ['Team', 'Column 3'],
  });
  expect(['Ana,Naples\nJean,Miami', 'Ana,SVC-1'].map(listed)).toEqual([['Ana', 'Jean'], ['SVC-1']]);
});

test('what is no SVCID stays in the list for a person to see, in lower case, too', () => {
  expect(listed('Jean Delacroix\nSVC-1')).toEqual(['Jean Delacroix', 'SVC-1']);
  expect(listed('SVC-1\nJean Delacroix\njean@example.com\nsvc-2\nSVC-1')).toEqual([
    ...['SVC-1', 'Jean Delacroix', 'jean@example.com', 'svc-2', 'SVC-1'],
  ]);
});

test('any text is read without an error, and no entry is blank or has outer spaces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(listed(text).filter((svcId) => svcId === '' || svcId !== svcId.trim())).toEqual([]);
    }),
  );
});
