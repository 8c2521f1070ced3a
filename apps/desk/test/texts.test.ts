import { expect, test } from '@jest/globals';
import { FIELD_PATHS } from '@svc/csv-import/in-page';
import { ROLE_PERMISSIONS } from '../../../packages/domain/src/staff.ts';
import { STAFF_ROLES } from '../../../packages/domain/src/vocabulary.ts';
import { PAGES } from '../../docs/src/pages.ts';
import type { Permission } from '../src/endpoints.ts';
import { SCREENS } from '../src/navigation.ts';
import { en } from '../src/texts/en.ts';
import { es } from '../src/texts/es.ts';
import { FIELD_NAMES } from '../src/texts/field-names.ts';
import { fieldLabel, withLabels } from '../src/texts/fields.ts';
import { helpEn } from '../src/texts/help-en.ts';
import { helpEs } from '../src/texts/help-es.ts';

test('each field has a name of one kind in each language, and paths in texts are replaced by it', () => {
  for (const fieldNames of Object.values(FIELD_NAMES)) {
    const labels = FIELD_PATHS.map((path) => fieldLabel(path, fieldNames));
    expect(new Set(labels).size).toBe(FIELD_PATHS.length);
    expect(labels.filter((label) => /[_.]/.test(label))).toEqual([]);
  }
  expect(withLabels('Give it the field policyholder.first_name or external_id.', FIELD_NAMES.en)).toBe(
    'Give it the field “Policyholder: first name” or “Your id of the claim”.',
  );
});

test('every screen has a help in each language that names the roles that may open it, and leads to a page', () => {
  const needs: Readonly<Record<string, Permission | null>> = { ...SCREENS, claim: 'claims:read' };
  const screens = Object.keys(needs).toSorted();
  const pages = PAGES.map(({ name }) => name);
  for (const [help, { roles }] of [
    [helpEn, en],
    [helpEs, es],
  ] as const) {
    const texts = Object.entries(help.screens);
    expect(texts.map(([screen]) => screen).toSorted()).toEqual(screens);
    const named = texts.map(([screen, { who }]) => [
      screen,
      STAFF_ROLES.filter((role) => who.toLowerCase().includes(String(roles[role]).toLowerCase())),
    ]);
    const allowed = texts.map(([screen]) => [
      screen,
      STAFF_ROLES.filter((role) => ROLE_PERMISSIONS[role].some((one) => one === needs[screen])),
    ]);
    expect(named).toEqual(allowed);
    expect(texts.filter(([, { guide }]) => !pages.includes(guide))).toEqual([]);
  }
  const points = (help: typeof helpEn) =>
    Object.entries(help.screens).map(([screen, one]) => [screen, one.words.length, one.trouble.length]);
  expect(points(helpEs)).toEqual(points(helpEn));
});
