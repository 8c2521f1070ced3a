import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import type { QueryRunner } from 'typeorm';
import type { Statement } from '../src/driver/session.ts';
import type { StatementRunner } from '../src/driver/statement-runner.ts';
import { Transaction } from '../src/driver/transaction.ts';

/** A transaction whose server sends these notices before its response to COMMIT, or with which the connection is lost. */
async function transactionWith(notices: readonly object[], lost?: Error) {
  const client = Object.assign(new EventEmitter(), { end: () => {} });
  const runner = { connect: async () => client, release: async () => {} } as unknown as QueryRunner;
  const statements = {
    prepared: async (_client: unknown, { text }: Statement) => {
      if (text === 'COMMIT') for (const notice of notices) client.emit('notice', notice);
      if (text === 'COMMIT' && lost !== undefined) throw lost;
      return { rows: [], rowCount: null, command: text };
    },
  } as unknown as StatementRunner;
  const options = { prepared: true, begin: 'BEGIN', onCitus: true };
  return { client, transaction: await Transaction.begin(runner, options, statements) };
}

test.each([
  { message: 'failed to commit transaction on worker-1:5432', routine: 'FinishRemoteTransactionCommit' },
  { message: 'Warten auf synchrone Replikation wird storniert', routine: 'SyncRepWaitForLSN' },
])('a commit with the warning that a server did not confirm it is unavailable: %j', async (warning) => {
  const { client, transaction } = await transactionWith([{ message: 'another notice' }, warning]);
  await expect(transaction.commit()).rejects.toBeInstanceOf(Unavailable);
  expect(client.listenerCount('notice')).toBe(0);
});

test('a commit with other notices succeeds', async () => {
  const { client, transaction } = await transactionWith([
    { message: 'a notice', routine: 'exec_stmt_raise' },
  ]);
  await transaction.commit();
  expect(client.listenerCount('notice')).toBe(0);
});

test('a commit whose connection is lost is unavailable, so that nothing runs again that may have been committed', async () => {
  const { transaction } = await transactionWith([], new Error('Connection terminated unexpectedly'));
  await expect(transaction.commit()).rejects.toBeInstanceOf(Unavailable);
});
