import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { AUDIT_ACTIONS, smallestClaim } from '@svc/contract';
import { en as adjusterEn } from '../../../apps/adjuster/src/texts/en.ts';
import { enMore } from '../../../apps/adjuster/src/texts/en-more.ts';
import { es as adjusterEs } from '../../../apps/adjuster/src/texts/es.ts';
import { CLOCK_TEXTS } from '../../../apps/desk/src/texts/clocks.ts';
import { en as deskEn } from '../../../apps/desk/src/texts/en.ts';
import { es as deskEs } from '../../../apps/desk/src/texts/es.ts';
import { CHECK_TEXTS } from '../../application/src/desk/readiness/checks.ts';
import { csvOfClaims, FIELD_PATHS, readText } from '../../csv-import/src/in-page.ts';
import { importCsv, readCsv, UnreadableCsv } from '../../csv-import/src/index.ts';
import { commonEn } from '../src/texts/en.ts';
import { commonEs } from '../src/texts/es.ts';
import { actionInSpanish, inSpanish } from '../src/texts/service-es.ts';

const ENGLISH = /\b(the|is|are|was|must|of|or|and|with|has|this|such|field|row|from|required|send)\b/i;

/** Keys, and words of both languages. */
const SAME = new Set([
  ...['UTF-8', 'UTF-16', 'Windows', 'DOS', 'J, K', 'Enter', 'O', 'W', 'X', '/', '?', 'SVCID'],
]);

test('what the import says of a file and of each field is in Spanish, too', () => {
  const said = new Set<string>();
  const read = (text: string, columns?: Readonly<Record<string, string>>): void => {
    try {
      const { problems, rows } = importCsv(readCsv(text, { maxRows: 90 }), { columns, today: '2026-11-28' });
      const ofRows = rows.flatMap((row) => ('problems' in row ? row.problems : []));
      for (const { detail } of [...problems, ...ofRows]) said.add(detail);
    } catch (error) {
      if (error instanceof UnreadableCsv) said.add(error.message);
    }
  };
  const files = [
    '',
    'a\n1',
    'a,a,a (1)',
    'a,b',
    `a,b\n${'1,2\n'.repeat(91)}`,
    '"a,b\n1,2',
    'Report\nClaim #,Zip,City,Phone,Phone\n1',
    'Claim #,Phone,Phone,Insured Name,Address,Loss Address,City\n1',
  ];
  for (const text of [...files, [...Array(1001).keys()].join(',')]) read(text);
  for (const unreadable of [
    () => readText(Uint8Array.of(0xff), 'utf-8'),
    () => readText(Buffer.from('a,b\n\0')),
    () => readText(new Uint8Array(20_000_001).fill(0x61)),
    () => readText(Uint8Array.of(0x81)),
    () => readCsv('a,b\n1,2', { maxRows: 9, maxCells: 2 }),
    ...['\xd0\xcf\x11\xe0', '%PDF', '{\\rtf', '<html>'].map(
      (start) => () => readText(Buffer.from(start, 'latin1')),
    ),
  ])
    try {
      unreadable();
    } catch (error) {
      said.add(String(Object(error).message));
    }
  read('a,b\n1,2', { a: 'no_field', b: 'claim_number' });
  read('a,b\n1,2', { a: 'claim_number', b: 'claim_number' });
  const paths = FIELD_PATHS.filter((path) => path !== 'policyholder.last_first_name');
  const header = paths.join(',');
  // Wrong in one way for each kind of field, or valid.
  for (const cell of [
    ...['', ' x', 'x'.repeat(5000), '-1', '1/2/2026', '13/13/2026', '2026-02-30', '8/27/2026', '1', '2201'],
    ...['339011234', 'ae', 'x\u200b@y', '\u200b', '25:00', 'fl', 'Jos\ufffd', '#N/A', 'nan', '8.7E+09', "'1"],
    ...['12.0', '"x\ny"', '1900-01-01', '2999-01-01', '"open', '"a"b, c"'],
    `"x\n${paths.map(() => 'y').join(',')}"`,
  ])
    read(`${header}\n${paths.map(() => cell).join(',')}\nx`);
  read(
    `${header},Full name\n1`.replace(
      'policyholder.first_name,policyholder.last_name',
      'policyholder.last_first_name',
    ),
  );
  read(
    csvOfClaims([
      smallestClaim,
      { ...smallestClaim, instructions: 'x' },
      { ...smallestClaim, external_id: 'x' },
    ]),
  );
  const { policyholder: _, ...nameless } = smallestClaim;
  for (const policyholder of [{ phone: '1' }, { first_name: 'Ana' }, { last_name: 'Reyes' }])
    read(csvOfClaims([{ ...nameless, policyholder }]));
  expect([...said].map(inSpanish).filter((text) => ENGLISH.test(text))).toEqual([]);
  expect(said.size).toBeGreaterThan(60);
});

/** The texts in a file; 7 stands for what is filled in. */
const textsIn = (file: string, start: string): string[] =>
  [
    ...readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').matchAll(
      new RegExp(`['\`](${start}[^'\`]*)['\`]`, 'g'),
    ),
  ].map(([, text = '']) => text.replace(/\$\{[^}]*\}/g, '7'));

test('what the import says of a workbook is in Spanish, too', () => {
  const files = ['zip.ts', 'package-xml.ts', 'read-workbook.ts', 'decode.ts'];
  const texts = files.flatMap((file) => textsIn(`csv-import/src/${file}`, '(?:The|it|its|an?) '));
  const said = texts
    .filter((text) => !text.includes('${'))
    // Reasons are a part of another text.
    .map((text) =>
      text.replace(/^(?!The).*/, 'The workbook is damaged ($&). Open it in Excel, and save it again.'),
    );
  expect(said.length).toBeGreaterThan(25);
  expect(said.filter((text) => ENGLISH.test(inSpanish(text)))).toEqual([]);
});

test('what a check of readiness asks for and finds, and what happens in a rehearsal, is in Spanish, too', () => {
  const asked = Object.values(CHECK_TEXTS).flatMap((texts) => Object.values(texts));
  const found = textsIn('application/src/desk/readiness/grade.ts', '(?:[A-Z][A-Za-z-]*|updated_since) ');
  const steps = textsIn('sandbox/src/rehearse.ts', '(?:the next|_[a-z]+) ').map((step) =>
    step.replace('7', 'accepts'),
  );
  expect([asked.length, found.length > 12, steps.length > 12]).toEqual([36, true, true]);
  const all: readonly string[] = [...asked, ...found, ...steps];
  expect(all.filter((text) => inSpanish(text) === text || ENGLISH.test(inSpanish(text)))).toEqual([]);
});

const offered = 'The claim has changed since it was read: {} offered it to Jean Delacroix (SVC-1).';
const changes = textsIn('application/src/firm/claim-changed.ts', ' The ').filter(
  (text) => !text.includes('claim has changed'),
);
test.each([
  [
    'why an address for webhooks is refused',
    4,
    textsIn('adapter-notifications/src/webhook-sender.ts', 'The URL ').map((text) =>
      text.replace('with 7', 'with https://, or http:// on this machine'),
    ),
  ],
  ['why the id of a request is refused', 1, ['Must be a UUID.']],
  [
    'that two rules of clocks are for the same claims',
    1,
    textsIn('application/src/desk/clocks.ts', 'Rules '),
  ],
  [
    'what a claim that has changed became',
    15,
    ['your firm', 'key 7', 'a person who was removed'].flatMap((by) =>
      ['', ...changes, ' Priya Nair withdrew the offer.'].map((end) => offered.replace('{}', by) + end),
    ),
  ],
] as const)('%s is said in Spanish, too', (_, count, texts) => {
  expect(texts).toHaveLength(count);
  expect(texts.map(inSpanish).filter((text) => ENGLISH.test(text) || / a UUID/.test(text))).toEqual([]);
});

const PAGES: readonly (readonly [page: string, en: object, es: object])[] = [
  ['adjuster app', { ...adjusterEn, ...enMore }, adjusterEs],
  ['desk', deskEn, deskEs],
  ['clocks of the desk', CLOCK_TEXTS.en, CLOCK_TEXTS.es],
];
/** By path. */
const leaves = (value: unknown, path = ''): [string, unknown][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`))
    : [[path, value]];

test.each(PAGES)('every text of the %s is in Spanish, too, and no English one was left', (_, en, es) => {
  const spanish = new Map(leaves(es));
  const english = leaves(en).flatMap(([path, text]) =>
    typeof text === 'string' ? [[path, text] as const] : [],
  );
  expect([...spanish.keys()]).toEqual(expect.arrayContaining(english.map(([path]) => path)));
  const same = english.filter(([path, text]) => spanish.get(path) === text).map(([, text]) => text);
  expect(same.filter((text) => !SAME.has(text))).toEqual([]);
});

test.each(PAGES)(
  'every text of the %s says the same values in both languages, in their order, and one apart from many where English does',
  (_, en, es) => {
    const said = (text: unknown, values: unknown[]): string => {
      try {
        return typeof text === 'function' ? String(text(...values)) : '';
      } catch {
        return '';
      }
    };
    const spanish = new Map(leaves(es));
    const examples = [
      [71, 72, 73],
      [0, 72, 73],
      [1, 1, 1],
      ['QA', 'QB', 'QC'],
      ['QA', 71, 72],
      [71, 'QA', 'QB'],
    ];
    const differ = leaves(en).flatMap(([path, text]) =>
      examples.flatMap((values) => {
        const [english, other] = [text, spanish.get(path)].map((one) => {
          const many = said(one, values);
          const hasSingular = values.map((value, n) => {
            const as = (count: number) => said(one, values.with(n, count)).replaceAll(String(count), '71');
            return value === 71 && as(1) !== many && as(72) === many;
          });
          return { order: many.match(/\b(7[123]|Q[ABC])\b/g)?.join(), hasSingular, many };
        });
        const isSame = english?.order === other?.order;
        // Spanish has no plural of SVCID.
        const isPlural = english?.hasSingular.every(
          (has, n) => !has || other?.hasSingular[n] || path === '.adjusters.found',
        );
        return isSame && isPlural ? [] : [[path, english, other]];
      }),
    );
    expect(differ).toEqual([]);
  },
);

test('each month, action of the audit trail and text of the service has its text in Spanish, and an unknown action stays', () => {
  const lines = readFileSync(new URL('texts.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const months = [...Array(12).keys()].map((n) => `${commonEn.day(1, n, 9)} = ${commonEs.day(1, n, 9)}`);
  const actions = AUDIT_ACTIONS.map((action) => `${action} = ${actionInSpanish(action)}`);
  const texts = lines.slice(months.length + actions.length).map((line) => {
    const [text = ''] = line.split(' = ');
    return `${text} = ${inSpanish(text)}`;
  });
  expect(texts.length).toBeGreaterThan(200);
  expect([...months, ...actions, ...texts]).toEqual(lines);
  expect(actionInSpanish('claim.teleport')).toBe('Reclamación: teleport');
});
