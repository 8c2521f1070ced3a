import { DatabaseError } from '../driver/errors.ts';
import { type Statement, statementNamed } from '../driver/executor.ts';

export const LOCK_KEY = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
/** The key is arbitrary. */
export const LOCK_SHARED_TABLES = 'SELECT pg_advisory_xact_lock(7262811543019266)';

/** What has to happen before a statement. */
export type Before =
  /** The first value is an account, which is locked by this key instead of its row. */
  | 'lock_account'
  /** Citus locks a changed table and those that it references: two changes of several of them would wait for each other. */
  | 'lock_shared_tables'
  /** The values start with a firm and an adjuster. */
  | 'add_firm_of_adjuster'
  /** The first value is one adjuster or several, whose firms are the last value of the statement on Citus. */
  | 'find_firms_of_adjusters';

interface Rule {
  readonly pattern: RegExp;
  /** Replaces what the pattern finds. */
  readonly replacement?: string;
  readonly before?: Before;
  /** By name, all statements in which the pattern is found. */
  readonly statements: readonly string[];
}

const ofEachList = (name: string): string[] =>
  ['pending_acceptance', 'accepted', 'closed'].map((list) => `${name}_${list}`);
const APP_LISTS = [...ofEachList('app_claims'), ...ofEachList('app_changed_claims')];
/** With the firm and the carrier of each claim. */
const OFFERED_CLAIMS = [
  ...APP_LISTS,
  'app_claim',
  'claims_forms',
  'claims_lock_offered',
  'claims_lock_offered_available',
  'operator_claim',
];
const CHANGES_OF_ACCOUNTS = [
  'adjusters_save_profile',
  'adjusters_confirm_email',
  'adjusters_save_availability',
  'adjusters_save_credentials',
  'adjusters_set_disabled',
];

/** What Citus rejects or runs badly in a statement, what it runs instead, and what it runs before. */
export const RULES: readonly Rule[] = [
  {
    // Citus finds the shard of a join by its equalities.
    pattern:
      /(?:CROSS|(LEFT)) JOIN LATERAL \(SELECT \* FROM (\w+) WHERE (\w+) BETWEEN ((?:c|m)\.firm_id) AND \4 ORDER BY \3 LIMIT 1 \) (\w+)( ON true)?/g,
    replacement: '$1 JOIN $2 $5 ON $5.$3 = $4',
    statements: [...OFFERED_CLAIMS, 'app_memberships', 'app_invitations'],
  },
  {
    pattern:
      /(?:CROSS|(LEFT)) JOIN LATERAL \(SELECT \* FROM (\w+) WHERE firm_id = ((?:c|m)\.firm_id|every_firm\.id) AND (\w+) BETWEEN (\S+) AND \5 ORDER BY \4 LIMIT 1 \) (\w+)( ON true)?/g,
    replacement: '$1 JOIN $2 $6 ON $6.firm_id = $3 AND $6.$4 = $5',
    statements: [...OFFERED_CLAIMS, 'claims_firm_of_claim'],
  },
  {
    pattern: /\(SELECT \* FROM memberships WHERE svc_id BETWEEN \$1 AND \$1 ORDER BY svc_id OFFSET 0\)/g,
    replacement: 'memberships',
    statements: ['app_memberships', 'app_invitations'],
  },
  {
    pattern:
      /FROM unnest\(\$1::uuid\[\], \$2::uuid\[\]\) AS wanted \(firm_id, id\)\s+CROSS JOIN LATERAL \(SELECT \* FROM claims WHERE firm_id = wanted\.firm_id AND id BETWEEN wanted\.id AND wanted\.id ORDER BY id LIMIT 1 \) c$/,
    replacement: 'FROM claims c WHERE c.firm_id = ANY ($1::uuid[]) AND c.id = ANY ($2::uuid[])',
    statements: ['claims_large_document', 'claims_large_work_details'],
  },
  {
    // A row that the transaction has locked is found by its key.
    pattern:
      /WHERE ctid = \(SELECT ctid FROM claims WHERE firm_id = (\S+) AND id BETWEEN (\S+) AND \2 ORDER BY id LIMIT 1 \)/g,
    replacement: 'WHERE firm_id = $1 AND id = $2',
    statements: ['claims_save', 'claims_save_without_timestamp'],
  },
  {
    // The coordinator parses every `json` that it gets from a worker, and does not parse text: a page of 50 then takes
    // 1.2 ms of its processor time instead of 1.7 ms.
    pattern: /CASE WHEN (pg_column_size\(c\.(\w+)\)) < (\d+) THEN c\.\2 ELSE to_json\(\1\) END/g,
    replacement: 'CASE WHEN $1 < $3 THEN c.$2::text ELSE $1::text END',
    statements: [
      'firm_feed_live',
      'firm_feed_test',
      'firm_feed_by_status_live',
      'firm_feed_by_status_test',
      ...APP_LISTS,
    ],
  },
  {
    // A subquery that refers to a row outside cannot have a limit.
    pattern: /\(SELECT true FROM claims c WHERE ([^()]*?) ORDER BY c\.updated_at LIMIT 1\) IS TRUE/g,
    replacement: 'EXISTS (SELECT 1 FROM claims c WHERE $1)',
    statements: ['webhooks_signal', 'webhooks_skip'],
  },
  {
    // Rows of several shards cannot be locked: two processes may, rarely, signal the same change.
    pattern: /FOR UPDATE OF e SKIP LOCKED(?=\s+ON CONFLICT)/,
    replacement: '',
    statements: ['webhooks_signal'],
  },
  {
    // A statement over memberships of adjusters names their firms, so that it runs on the servers of these alone.
    pattern: /WHERE m\.svc_id = (?:\$1|ANY \(\$1::text\[\]\))(?! *AND m\.firm_id)/,
    replacement: '$& AND m.firm_id = ANY ($firms::uuid[])',
    before: 'find_firms_of_adjusters',
    statements: [
      'offers_earlier_to_adjuster',
      'offers_firm_of_adjuster',
      'claims_count_pending',
      'board_pending_of_adjusters',
      'memberships_active_firms_of',
      'claims_find_sender',
      'app_memberships',
      'app_invitations',
      'app_claim',
      'app_revisions',
      ...APP_LISTS,
      ...ofEachList('app_claim_ids'),
    ],
  },
  {
    pattern: /^INSERT INTO memberships \(firm_id, svc_id,/,
    before: 'add_firm_of_adjuster',
    statements: ['memberships_save'],
  },
  // A lock of a row in a table that is on every node would lock all of its rows.
  {
    pattern: /^SELECT FROM firms WHERE id = \$1 FOR NO KEY UPDATE$/,
    replacement: LOCK_KEY,
    statements: ['firms_lock'],
  },
  {
    pattern: /^(SELECT [^;]* FROM adjusters a WHERE a\.svc_id = \$1) FOR NO KEY UPDATE$/,
    replacement: '$1',
    before: 'lock_account',
    statements: ['adjusters_lock'],
  },
  {
    pattern: /^UPDATE adjusters SET [^;]* WHERE svc_id = \$1/,
    before: 'lock_account',
    statements: CHANGES_OF_ACCOUNTS,
  },
  {
    pattern: /^LOCK TABLE firms IN SHARE ROW EXCLUSIVE MODE$/,
    replacement: LOCK_SHARED_TABLES,
    statements: ['firms_lock_table'],
  },
  {
    pattern:
      /^(?:INSERT INTO|UPDATE|DELETE FROM) (?:firms|adjusters|adjuster_firms)\b|FROM adjusters WHERE [^;]* FOR NO KEY UPDATE SKIP LOCKED$/,
    before: 'lock_shared_tables',
    statements: [
      ...CHANGES_OF_ACCOUNTS,
      'adjusters_add',
      'encrypt_find_adjusters',
      'encrypt_update_adjusters',
      'firm_data_erase_adjusters',
      'firm_data_erase_adjuster_firms',
    ],
  },
];

/** Changes of tables on every node that TypeORM writes. */
export const CHANGES_BY_ORM: readonly string[] = ['firms_add', 'firms_save'];

export interface Form extends Statement {
  readonly before: readonly Before[];
}

const forms = new WeakMap<Statement, Form>();

/** The form of a statement on Citus: same values, same rows. */
export function formOf(statement: Statement): Form {
  let form = forms.get(statement);
  if (form === undefined) {
    const { name, text } = statement;
    const rules = RULES.filter(({ pattern }) => text.search(pattern) >= 0);
    const next = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))) + 1;
    form = {
      name,
      text: rules
        .reduce((changed, { pattern, replacement = '$&' }) => changed.replace(pattern, replacement), text)
        .replace('$firms', `$${next}`),
      before: rules.flatMap(({ before = [] }) => before),
    };
    forms.set(statement, form);
  }
  return form;
}

/** @throws {DatabaseError} for a statement in which its rule finds nothing any more: Citus would reject it, or run it badly. */
export function checkRules(named: (name: string) => Statement | undefined = statementNamed): void {
  for (const { pattern, statements } of RULES)
    for (const name of statements)
      if ((named(name)?.text.search(pattern) ?? -1) < 0)
        throw new DatabaseError(
          `The statement ${name} has changed: ${pattern} finds nothing to replace for Citus.`,
        );
}
