import { EventEmitter } from 'node:events';
import { expect, jest, test } from '@jest/globals';
import { NO_METRICS } from '@svc/application';
import type { QueryRunner } from 'typeorm';
import { inGroups } from '../src/claims/groups.ts';
import { DatabaseError } from '../src/driver/errors.ts';
import { Transaction } from '../src/driver/transaction.ts';

/** A transaction whose server sends these notices before its response to COMMIT, or with which the connection is lost. */
async function transactionWith(notices: readonly object[], lost?: Error, tag = 'COMMIT') {
  const sent: string[] = [];
  const client = Object.assign(new EventEmitter(), {
    end: () => void sent.push('end'),
    async query(query: string | { text: string }) {
      const command = typeof query === 'string' ? query : query.text;
      sent.push(command);
      if (command === 'COMMIT') for (const notice of notices) client.emit('notice', notice);
      if (command === 'COMMIT' && lost !== undefined) throw lost;
      return { rows: [], rowCount: null, command: command === 'COMMIT' ? tag : command };
    },
  });
  const release = async () => void sent.push('release');
  const runner = { connect: async () => client, release } as unknown as QueryRunner;
  const options = { prepared: true, begin: 'BEGIN' };
  return { client, sent, transaction: await Transaction.begin(runner, options) };
}

/** The error of a request that shares this transaction with another, and how often one of them was saved again. */
async function sharedBy(transaction: Transaction) {
  let savedAgain = 0;
  const request = inGroups<Transaction, number, unknown>(
    { begin: async () => transaction, metrics: NO_METRICS },
    {
      maxTogether: 2,
      keysOf: () => [],
      async save(shared, _, whenLocked) {
        if (whenLocked === 'wait') savedAgain += 1;
        await shared.commit();
        return new Map();
      },
    },
  );
  const [one, other] = await Promise.allSettled([request(1), request(2)]);
  expect(one).toEqual(other);
  return { error: one.status === 'rejected' ? one.reason : null, savedAgain };
}

const UNCONFIRMED = expect.objectContaining({
  name: 'Unavailable',
  message: expect.stringMatching(/ The change may have been made: check before you repeat it\.$/),
});

test.each([
  { message: 'failed to commit transaction on worker-1:5432', routine: 'FinishRemoteTransactionCommit' },
  { message: 'Warten auf synchrone Replikation wird storniert', routine: 'SyncRepWaitForLSN' },
])(
  'a commit with the warning that a server did not confirm it is unavailable, and no request of it is saved again: %j',
  async (warning) => {
    const { client, transaction } = await transactionWith([{ message: 'another notice' }, warning]);
    expect(await sharedBy(transaction)).toEqual({ error: UNCONFIRMED, savedAgain: 0 });
    expect(client.listenerCount('notice')).toBe(0);
  },
);

test('a commit with other notices succeeds', async () => {
  const { client, transaction } = await transactionWith([
    { message: 'a notice', routine: 'exec_stmt_raise' },
  ]);
  const timer = jest.spyOn(performance, 'now').mockReturnValueOnce(1000).mockReturnValueOnce(1250);
  await transaction.commit();
  timer.mockRestore();
  expect(transaction.commitSeconds).toBe(0.25);
  expect(client.listenerCount('notice')).toBe(0);
});

test('a commit whose connection is lost is unavailable, so that nothing runs again that may have been committed', async () => {
  const { sent, transaction } = await transactionWith([], new Error('Connection terminated unexpectedly'));
  expect(await sharedBy(transaction)).toEqual({ error: UNCONFIRMED, savedAgain: 0 });
  // Neither is the connection used again.
  expect(sent).toEqual(['BEGIN', 'COMMIT', 'end', 'release']);
  await expect(transaction.commit()).rejects.toThrow('was lost during a commit');
});

test('a transaction that the server has rolled back, or that has ended, is none', async () => {
  const { sent, transaction } = await transactionWith([], undefined, 'ROLLBACK');
  const read = { name: 'read', text: 'SELECT 1' };
  expect([await transaction.rows(read), transaction.failure]).toEqual([[], null]);
  const committed = transaction.commit();
  await expect(transaction.rows(read)).rejects.toThrow('read was called after the end of its transaction.');
  await expect(committed).rejects.toThrow('PostgreSQL responded to COMMIT with ROLLBACK.');
  expect(sent).toEqual(['BEGIN', 'SELECT 1', 'COMMIT', 'release']);
});

test('where the connection is lost before the end, nothing more is sent on it, and it is closed', async () => {
  const { client, sent, transaction } = await transactionWith([]);
  client.query = async () => {
    throw new Error('Connection terminated unexpectedly');
  };
  const lost = await transaction.rows({ name: 'read', text: 'SELECT 1' }).catch((error) => error);
  expect(transaction.failure).toBe(lost);
  await expect(transaction.commit()).rejects.toBe(lost);
  await transaction.rollback();
  expect(sent).toEqual(['BEGIN', 'end', 'release']);
});

test('COMMIT is sent only once each write is known to have changed the right number of rows', async () => {
  const { sent, transaction } = await transactionWith([]);
  transaction.send({ name: 'right', text: 'UPDATE 1' }, [], () => null);
  transaction.send({ name: 'wrong', text: 'UPDATE 2' }, [], (count) => new DatabaseError(`wrote ${count}`));
  await expect(transaction.commit()).rejects.toThrow('wrote 0');
  await transaction.rollback();
  expect(sent).toEqual(['BEGIN', 'UPDATE 1', 'UPDATE 2', 'ROLLBACK', 'release']);
});
