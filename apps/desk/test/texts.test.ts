import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { FIELD_PATHS } from '@svc/csv-import/in-page';
import { ROLE_PERMISSIONS } from '../../../packages/domain/src/staff.ts';
import { STAFF_ROLES } from '../../../packages/domain/src/vocabulary.ts';
import { PAGES } from '../../docs/src/pages.ts';
import type { Permission } from '../src/endpoints.ts';
import { SCREENS } from '../src/navigation.ts';
import { CLOCK_TEXTS } from '../src/texts/clocks.ts';
import { en, type Texts } from '../src/texts/en.ts';
import { es } from '../src/texts/es.ts';
import { FIELD_NAMES, fieldLabel } from '../src/texts/field-names.ts';
import { withLabels } from '../src/texts/fields.ts';

test('each field has a name of one kind in each language, and paths in texts are replaced by it', () => {
  for (const fieldNames of Object.values(FIELD_NAMES)) {
    const labels = FIELD_PATHS.map((path) => fieldLabel(path.split('.'), fieldNames));
    expect(new Set(labels).size).toBe(FIELD_PATHS.length);
  }
  const parts = FIELD_PATHS.flatMap((path) => path.split('.'));
  expect(parts.filter((part) => FIELD_NAMES.es[part] === undefined)).toEqual([]);
  expect(withLabels('Give it the field policyholder.first_name or external_id.', FIELD_NAMES.en)).toBe(
    'Give it the field “Policyholder: first name” or “Your id of the claim”.',
  );
});

const helpIn = (language: string): readonly (readonly [string, Readonly<Record<string, string>>])[] =>
  Object.entries(
    JSON.parse(String(readFileSync(new URL(`../src/texts/help-${language}.json`, import.meta.url)))).screens,
  );

/** The texts at a path in both languages; those with values, with these. */
const textsAt = (path: string, text: unknown, other: unknown): string[] => {
  const said = (one: unknown): string =>
    typeof one === 'function' ? SAMPLES.map((values) => one(...values)).join(', ') : String(one);
  if (typeof text !== 'object') return [`${path}: ${said(text)} | ${said(other)}`];
  return Object.entries(Object(text)).flatMap(([name, one]) =>
    textsAt(`${path} ${name}`.trim(), one, Object(other)[name]),
  );
};
const SAMPLES = [
  [1, 2, 3],
  [2, 1, 0],
  [0, 0, 1],
];

test('each text and label is that of its subject in both languages, with values in their places and plurals', () => {
  const { ofService, audit, ...texts } = en;
  const { action, ...trail } = audit;
  expect(action('claim.offer_again')).toBe('claim: offer again');
  const spanish = Object.fromEntries(helpIn('es'));
  const fields = FIELD_PATHS.map((path) => {
    const [name, other] = [FIELD_NAMES.en, FIELD_NAMES.es].map((names) => fieldLabel(path.split('.'), names));
    return `${path}: ${name} | ${other}`;
  });
  const unknown = [en, es].map(({ board, claim, credentials, keys, sessions }: Texts) => [
    ...[board.waits(null), claim.offerer(null, false, 'i'), claim.offerer(null, true, 'i')],
    ...[credentials.held('', 'd'), keys.created('d', null), sessions.names['Opened by the operator']],
  ]);
  const found = [
    `of what is unknown: ${unknown.map((said) => said.join(', ')).join(' | ')}`,
    ...textsAt('', { ...texts, audit: trail }, es),
    ...textsAt('clocks', CLOCK_TEXTS.en, CLOCK_TEXTS.es),
    ...fields,
    ...helpIn('en').map(([screen, help]) => `help ${screen}: ${JSON.stringify([help, spanish[screen]])}`),
  ];
  const file = readFileSync(new URL('./texts.txt', import.meta.url), 'utf8');
  expect(found).toEqual(file.trimEnd().split('\n'));
});

test('every screen has a help in each language that names the roles that may open it, and leads to a page', () => {
  const needs: Readonly<Record<string, Permission | null>> = { ...SCREENS, claim: 'claims:read' };
  const screens = Object.keys(needs).toSorted();
  expect(Object.entries(SCREENS).join(' ')).toBe(
    'board,claims:read adjusters,adjusters:read map,claims:read upload,imports:write reports,reports:read keys,keys:read requests,requests:read sandbox,sandbox:write webhooks,webhooks:read readiness,readiness:read audit,audit:read people,staff:read settings,',
  );
  const pages = PAGES.map(({ name }) => name);
  const allowed = helpIn('en').map(([screen]) => [
    screen,
    STAFF_ROLES.filter((role) => ROLE_PERMISSIONS[role].some((one) => one === needs[screen])),
  ]);
  const pointsIn = (language: string) =>
    helpIn(language).map(([screen, { words = '', trouble = '' }]) => [
      ...[screen, Object.keys(words).length, Object.keys(trouble).length],
    ]);
  for (const [language, { roles }] of Object.entries({ en, es })) {
    const texts = helpIn(language);
    expect(texts.map(([screen]) => screen).toSorted()).toEqual(screens);
    const named = texts.map(([screen, { who = '' }]) => [
      screen,
      STAFF_ROLES.filter((role) => who.toLowerCase().includes(String(roles[role]).toLowerCase())),
    ]);
    expect(named).toEqual(allowed);
    expect(pointsIn(language)).toEqual(pointsIn('en'));
  }
  expect(helpIn('en').filter(([, { guide = '' }]) => !pages.includes(guide))).toEqual([]);
});
