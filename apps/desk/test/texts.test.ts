import { expect, test } from '@jest/globals';
import { FIELD_PATHS } from '@svc/csv-import/in-page';
import { FIELD_NAMES } from '../src/texts/field-names.ts';
import { fieldLabel, withLabels } from '../src/texts/fields.ts';

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
