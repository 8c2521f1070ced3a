import { type Adjuster, DomainError, type StaffMember } from '@svc/domain';
import type { Account, AccountRef } from '../model/account.ts';
import type { SecretKind } from '../ports/secrets.ts';
import type { Tx } from '../ports/unit-of-work.ts';

/** What differs between the accounts that sign in: where they are stored, and the prefix of their tokens. */
export interface AccountKind<A extends Account> {
  readonly name: 'adjuster' | 'staff';
  readonly token: SecretKind & `${string}_session`;
  /** Without test accounts. Staff of several firms have an account in each; the one that was joined first is first. */
  findByEmail(tx: Tx, email: string): Promise<readonly A[]>;
  /** Null also for an account of another kind; so does `lock`. */
  find(tx: Tx, of: AccountRef): Promise<A | null>;
  lock(tx: Tx, of: AccountRef): Promise<A | null>;
  /** Other accounts of the person: those with the same address, which they have proved to be theirs. With this one. */
  ofPerson(tx: Tx, account: A): Promise<readonly A[]>;
  /** A code that was sent to the address was entered. */
  confirmEmail(tx: Tx, account: A, at: number): Promise<void>;
}

export const ADJUSTERS: AccountKind<Adjuster> = {
  name: 'adjuster',
  token: 'app_session',
  async findByEmail(tx, email) {
    const found = await tx.adjusters.findByEmail(email);
    return found === null ? [] : [found];
  },
  find: async (tx, of) => ('svcId' in of ? tx.adjusters.find(of.svcId) : null),
  lock: async (tx, of) => ('svcId' in of ? tx.adjusters.lock(of.svcId) : null),
  ofPerson: async (_, account) => [account],
  confirmEmail: (tx, { svcId }) => tx.adjusters.confirmEmail(svcId),
};

export const STAFF: AccountKind<StaffMember> = {
  name: 'staff',
  token: 'staff_session',
  findByEmail: (tx, email) => tx.staff.findByEmail(email),
  find: async (tx, of) => ('staffId' in of ? tx.staff.find(of) : null),
  lock: async (tx, of) => ('staffId' in of ? tx.staff.lock(of) : null),
  ofPerson: async (tx, account) =>
    account.joinedAt === null ? [account] : tx.staff.findByEmail(account.email),
  async confirmEmail(tx, account, at) {
    if (account.joinedAt === null) await tx.staff.save({ ...account, joinedAt: at });
  },
};

export const findAccount = (tx: Tx, of: AccountRef): Promise<Account | null> =>
  'svcId' in of ? ADJUSTERS.find(tx, of) : STAFF.find(tx, of);

export const lockAccount = (tx: Tx, of: AccountRef): Promise<Account | null> =>
  'svcId' in of ? ADJUSTERS.lock(tx, of) : STAFF.lock(tx, of);

/** The account that a session belongs to; it may have been erased since the session was checked. */
export const accountRemoved = (): DomainError =>
  new DomainError('account_removed', 'The account of this session was removed.');

/** Of who is signed in: a session that is cached outlives a removed account by less than a second. */
export function existingAccount<A extends Account>(account: A | null): A {
  if (account === null) throw accountRemoved();
  return account;
}

export const isDisabled = (account: Account): boolean =>
  'svcId' in account && account.disabledAt !== undefined;

/** The address that the account has proved to be its own; null: none. */
export const confirmedEmail = (account: Account): string | null => {
  const isConfirmed = 'svcId' in account ? account.emailConfirmed === true : account.joinedAt !== null;
  return isConfirmed ? account.email : null;
};

export const displayName = (account: Account): string => {
  if ('staffId' in account) return account.name;
  const name = [account.firstName, account.lastName].filter((part) => part !== null).join(' ');
  return name === '' ? account.svcId : name;
};
