import type { SignInAttempts } from '@svc/application';
import type { Instant } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import { sql, type TxSession } from '../driver/session.ts';

/** Also locks rows that do not exist yet; in a fixed order, so that transactions do not deadlock. */
const LOCK_SUBJECTS = sql(
  'sign_in_attempts_lock_subjects',
  `SELECT pg_advisory_xact_lock(key) FROM (
     SELECT hashtextextended(subject, 1) AS key FROM unnest($1::text[]) AS subject ORDER BY 1) keys`,
);

const FIND = sql(
  'sign_in_attempts_find',
  `SELECT subject, count, last_at AS "lastAt", ends_at AS "endsAt" FROM sign_in_attempts
    WHERE subject = ANY ($1::text[])`,
);

const PUT = sql(
  'sign_in_attempts_put',
  `INSERT INTO sign_in_attempts (subject, count, last_at, ends_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (subject) DO UPDATE SET
     count = excluded.count, last_at = excluded.last_at, ends_at = excluded.ends_at`,
);

interface Row {
  readonly subject: string;
  readonly count: number;
  readonly lastAt: Instant;
  readonly endsAt: Instant;
}

export function pgSignInAttempts(session: TxSession): SignInAttempts {
  const find: SignInAttempts['find'] = async (subjects) => {
    const found = await session.rows<Row>(FIND, [subjects]);
    const bySubject = new Map(found.map(({ subject, ...attempts }) => [subject, attempts]));
    return subjects.map((subject) => bySubject.get(subject) ?? null);
  };
  return {
    find,

    async lock(subjects) {
      // Before the read, so that it sees what the previous holder committed.
      session.send(LOCK_SUBJECTS, [subjects]);
      return find(subjects);
    },

    async put(subject, { count, lastAt, endsAt }) {
      session.send(PUT, [subject, count, timestamp(lastAt), timestamp(endsAt)]);
    },
  };
}
