import { expect, test } from '@jest/globals';
import { rewriteForCitus } from '../src/citus/rewrite-statement.ts';
import { rowByKey, sql } from '../src/driver/executor.ts';
import { listed } from '../src/reads/large-columns.ts';
import { CLAIM_FORMS } from '../src/stores/carrier-rows.ts';
import { claimOfEveryFirm, lockedRow } from '../src/stores/claim-rows.ts';

const onCitus = (text: string, name = 'statement'): string =>
  rewriteForCitus(sql(name, text)).text.replace(/\s+/g, ' ');

test('on Citus, rows of the same firm are joined by equalities', () => {
  expect(onCitus(`SELECT FROM ${claimOfEveryFirm('$1')} ${CLAIM_FORMS} WHERE true`)).toBe(
    'SELECT FROM firms every_firm JOIN claims c ON c.firm_id = every_firm.id AND c.id = $1 JOIN firms f ON f.id = c.firm_id LEFT JOIN carriers book ON book.firm_id = c.firm_id AND book.name_key = c.carrier_key WHERE true',
  );
});

test('on Citus, a claim that is locked is saved by its key', () => {
  expect(onCitus(`UPDATE claims SET x = 1 WHERE ctid = (${lockedRow('$1', '$2')})`)).toBe(
    'UPDATE claims SET x = 1 WHERE firm_id = $1 AND id = $2',
  );
});

test('on Citus, values of lists are text', () => {
  expect(onCitus(`SELECT ${listed('document')}`)).toBe(
    'SELECT CASE WHEN pg_column_size(c.document) < 8192 THEN c.document::text ELSE pg_column_size(c.document)::text END AS document',
  );
});

test('on Citus, an account is not locked by its row, and other statements stay as they are', () => {
  expect(onCitus('SELECT a.svc_id FROM adjusters a WHERE a.svc_id = $1 FOR NO KEY UPDATE')).toBe(
    'SELECT a.svc_id FROM adjusters a WHERE a.svc_id = $1',
  );
  for (const text of [
    rowByKey('claims c', { 'c.firm_id': '$1', 'c.id': '$2' }, { lock: 'FOR UPDATE' }).trim(),
    `SELECT FROM api_keys k CROSS JOIN LATERAL (${rowByKey('firms', { id: 'k.firm_id' })}) f`,
  ])
    expect(onCitus(text)).toBe(text.replace(/\s+/g, ' '));
});
