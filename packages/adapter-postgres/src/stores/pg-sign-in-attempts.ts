import type { CountedAttempts, SignInAttempts } from '@svc/application';
import { timestamp } from '../driver/column-types.ts';
import { sql, type TransactionExecutor } from '../driver/executor.ts';

// Named statements instead of a TypeORM repository, which would build its SQL on each call: anyone can trigger these
// without signing in.

/** Also locks rows that do not exist yet; in a fixed order, so that transactions do not deadlock. */
const LOCK_SUBJECTS = sql(
  'sign_in_attempts_lock_subjects',
  `SELECT pg_advisory_xact_lock(key) FROM (
     SELECT hashtextextended(subject, 1) AS key FROM unnest($1::text[]) AS subject ORDER BY 1) keys`,
);

const FIND = sql(
  'sign_in_attempts_find',
  `SELECT subject, count, last_at AS "lastAt", ends_at AS "endsAt" FROM sign_in_attempts
   WHERE subject = ANY($1::text[])`,
);

const PUT = sql(
  'sign_in_attempts_put',
  `INSERT INTO sign_in_attempts (subject, count, last_at, ends_at)
   SELECT * FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::timestamptz[])
   ON CONFLICT (subject) DO UPDATE
     SET count = excluded.count, last_at = excluded.last_at, ends_at = excluded.ends_at`,
);

export function pgSignInAttempts(executor: TransactionExecutor): SignInAttempts {
  const find: SignInAttempts['find'] = async (subjects) => {
    const found = await executor.rows<CountedAttempts>(FIND, [subjects]);
    return subjects.map((subject) => found.find((row) => row.subject === subject) ?? null);
  };
  return {
    find,

    async lock(subjects) {
      // Locked before the read, so that the read sees what the previous lock holder committed.
      executor.send(LOCK_SUBJECTS, [subjects]);
      return find(subjects);
    },

    async put(counted) {
      executor.send(PUT, [
        counted.map(({ subject }) => subject),
        counted.map(({ count }) => String(count)),
        counted.map(({ lastAt }) => timestamp(lastAt)),
        counted.map(({ endsAt }) => timestamp(endsAt)),
      ]);
    },
  };
}
