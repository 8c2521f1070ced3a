import { expect, test } from '@jest/globals';
import {
  type AppClaimView,
  auditEvent,
  BY_SERVICE,
  NO_METRICS,
  type OfferResponses,
  Unavailable,
} from '@svc/application';
import type { ClaimId, Svcid } from '@svc/domain';
import type { Transaction } from '../src/driver/transaction.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { pgOfferResponses } from '../src/stores/pg-offer-responses.ts';
import { NOW, newId } from './a-firm.ts';

/** Two responses in a transaction whose commit fails with this error. */
async function respondedWith(failure: Error) {
  const ids = [newId<ClaimId>(), newId<ClaimId>()];
  const rows = ids.map((id) => ({
    id,
    firm_id: newId(),
    carrier: '{}',
    work_details: null,
    held_name: null,
    rejection_reason: null,
  }));
  const transaction = {
    rows: async () => rows,
    rowsAndCommit: () => Promise.reject(failure),
    rollback: async () => {},
  } as unknown as Transaction;
  const alone: ClaimId[] = [];
  const view = {} as AppClaimView;
  const oneByOne: OfferResponses = {
    async save(_, id) {
      alone.push(id);
      return view;
    },
  };
  const database = { begin: async () => transaction, metrics: NO_METRICS };
  const responses = pgOfferResponses(database, { now: () => NOW }, NO_ENCRYPTION, oneByOne);
  const ends = await Promise.allSettled(
    ids.map((id) =>
      responses.save('A' as Svcid, id, ({ claim }) => ({
        assignment: { ...claim.assignment, offeredAt: NOW, respondedAt: NOW },
        event: auditEvent(claim.firmId, BY_SERVICE, { at: NOW, action: 'claim.accept', object: null }),
      })),
    ),
  );
  return { ends, alone, ids, view };
}

test('a commit of unknown outcome is unknown for all of its responses, and none of them is saved again', async () => {
  const unknown = new Unavailable(
    'The connection to PostgreSQL was lost during a commit.',
    'database_unreachable',
  );
  const { ends, alone } = await respondedWith(unknown);
  expect(ends).toEqual(ends.map(() => ({ status: 'rejected', reason: unknown })));
  expect(alone).toEqual([]);
});

test.each([
  new Unavailable('PostgreSQL is temporarily unable to run responses_save (55P03).', 'database_busy'),
  new Unavailable('The data key of a firm is not available.'),
  new Error('PostgreSQL rejected responses_save: 23514.'),
])('responses whose transaction was rolled back are saved one by one: $message', async (failure) => {
  const { ends, alone, ids, view } = await respondedWith(failure);
  expect(ends).toEqual(ends.map(() => ({ status: 'fulfilled', value: view })));
  expect(alone).toEqual(ids);
});
