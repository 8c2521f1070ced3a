import { emailKey, SIGN_IN_LIMITS } from '@svc/domain';
import type { Account } from '../model/account.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { confirmedEmail } from './accounts.ts';
import { countAttempt } from './attempt-counters.ts';

/** Where a notice about the account is mailed, which is counted: its confirmed address, which no test account has. Null: none. */
export async function countAccountNotice(
  tx: Tx,
  { secrets, clock }: Needs<'secrets' | 'clock'>,
  account: Account,
): Promise<string | null> {
  const email = confirmedEmail(account);
  if (email === null) return null;
  const subject = secrets.hashOfSubject('notices of recipient', emailKey(email));
  const limit = SIGN_IN_LIMITS.noticesPerRecipient;
  return (await countAttempt(tx, clock.now(), [{ limit, subject }])) === 0 ? email : null;
}
