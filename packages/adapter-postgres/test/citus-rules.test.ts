import { expect, test } from '@jest/globals';
import type { Firm } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { executorOnCitus, transactionOnCitus } from '../src/citus/database.ts';
import { checkRules, RULES } from '../src/citus/rules.ts';
import {
  type CancelableExecutor,
  type OpenTransaction,
  statementNamed,
  statementNames,
} from '../src/driver/executor.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import '../src/index.ts';
import { pgAdjusters } from '../src/stores/pg-adjusters.ts';
import { lockAndCountPending } from '../src/stores/pg-claims.ts';
import { pgFirms } from '../src/stores/pg-firms.ts';
import { pgMemberships } from '../src/stores/pg-memberships.ts';
import { aMembership, newId } from './a-firm.ts';

const textOf = (name: string): string => statementNamed(name)?.text ?? '';

test('each rule names the statements that it changes, all of them', () => {
  const found = RULES.map(({ pattern }) =>
    statementNames().filter((name) => !name.startsWith('citus_') && textOf(name).search(pattern) >= 0),
  );
  expect(RULES.map(({ statements }) => [...statements].sort())).toEqual(found.map((names) => names.sort()));
});

test('a statement in which its rule finds nothing is named', () => {
  expect(() => checkRules()).not.toThrow();
  for (const name of RULES.flatMap(({ statements }) => statements)) {
    const without = (other: string) => (other === name ? { name, text: 'SELECT 1' } : statementNamed(other));
    expect(() => checkRules(without)).toThrow(`The statement ${name} has changed: `);
  }
});

/** The names of the statements that run on a cluster, where the adjuster has no firm yet. */
async function statementsOf(
  work: (transaction: OpenTransaction, others: CancelableExecutor) => Promise<unknown>,
): Promise<string[]> {
  const names: string[] = [];
  const rows = async ({ name }: { name: string }) => {
    names.push(name);
    return [];
  };
  const transaction = transactionOnCitus({
    rows,
    send: ({ name }) => void names.push(name),
    rowsAndCommit: () => Promise.reject(new Error('not expected')),
    async orm(name) {
      names.push(name);
      return Promise.reject(new Error('no result'));
    },
    commit: async () => {},
    rollback: async () => {},
    commitSeconds: 0,
    failure: null,
  });
  await work(
    transaction,
    executorOnCitus({ rows }, async () => transaction),
  ).catch(() => {});
  return names;
}

const svcId = 'A1' as Svcid;
const account = { svcId, firstName: null, lastName: null, email: null, testOf: null };
const [ACCOUNT, SHARED] = ['citus_lock_account', 'citus_lock_shared_tables'];

test.each<[string, (transaction: OpenTransaction) => Promise<unknown>, string[]]>([
  ['a firm is added', (on) => pgFirms(on).add({} as Firm), [SHARED, 'firms_add']],
  ['a firm is saved', (on) => pgFirms(on).save({} as Firm), [SHARED, 'firms_save']],
  [
    'an account is added',
    (on) => pgAdjusters(on, NO_ENCRYPTION).add(account, null),
    [SHARED, 'adjusters_add'],
  ],
  ['an account is locked', (on) => pgAdjusters(on, NO_ENCRYPTION).lock(svcId), [ACCOUNT, 'adjusters_lock']],
  [
    'an account is changed',
    (on) => pgAdjusters(on, NO_ENCRYPTION).confirmEmail(svcId),
    [ACCOUNT, SHARED, 'adjusters_confirm_email'],
  ],
  [
    'an adjuster joins a firm',
    (on) => pgMemberships(on, NO_ENCRYPTION).save(aMembership(newId(), svcId)),
    ['citus_find_firm', SHARED, 'citus_save_firm', 'memberships_save'],
  ],
  [
    'offers to an adjuster are counted',
    (on) => lockAndCountPending(on, NO_ENCRYPTION, svcId),
    [ACCOUNT, 'adjusters_lock', 'citus_firms_of'],
  ],
])('when %s, the locks and firms that Citus needs come first', async (_, work, expected) => {
  expect(await statementsOf(work)).toEqual(expected);
});

test('outside of a transaction, a change of accounts gets one with its lock, and firms are found first', async () => {
  const run = (name: string) => statementsOf((_, others) => others.rows({ name, text: textOf(name) }));
  expect(await run('firm_data_erase_adjusters')).toEqual([SHARED, 'firm_data_erase_adjusters']);
  expect(await run('app_revisions')).toEqual(['citus_firms_of']);
});
