import type { SignInAttempts } from '@svc/application';
import { In } from 'typeorm';
import { sql, type TxSession } from '../driver/session.ts';
import { SIGN_IN_ATTEMPTS } from '../schema/entities.ts';

/** Also locks rows that do not exist yet; in a fixed order, so that transactions do not deadlock. */
const LOCK_SUBJECTS = sql(
  'sign_in_attempts_lock_subjects',
  `SELECT pg_advisory_xact_lock(key) FROM (
     SELECT hashtextextended(subject, 1) AS key FROM unnest($1::text[]) AS subject ORDER BY 1) keys`,
);

export function pgSignInAttempts(session: TxSession): SignInAttempts {
  const find: SignInAttempts['find'] = async (subjects) => {
    const found = await session.orm('sign_in_attempts_find', (manager) =>
      manager.findBy(SIGN_IN_ATTEMPTS, { subject: In(subjects) }),
    );
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

    async put(subject, attempts) {
      await session.orm('sign_in_attempts_put', (manager) =>
        manager.upsert(SIGN_IN_ATTEMPTS, { subject, ...attempts }, ['subject']),
      );
    },
  };
}
