// Mutants that no test can tell from the product, each with the reason. A survivor that is not listed fails the command.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of source code, not templates
export interface Survivor {
  readonly file: string;
  /** The line of the file with the mutated code. */
  readonly line: string;
  readonly code: string;
  readonly replacement: string;
  readonly reason: string;
}

const same = (
  at: Pick<Survivor, 'file' | 'line' | 'reason'>,
  mutations: readonly (readonly [code: string, replacement: string])[],
): Survivor[] => mutations.map(([code, replacement]) => ({ ...at, code, replacement }));

const CACHE = 'A cache: decides only how often a value is computed, and how much memory it takes.';
const TYPE_ONLY = 'Unreachable: the type allows it, and an earlier check or the caller excludes it.';
const REFERENCE = 'Unreachable: a membership refers to an account and a firm that exist.';

const DOMAIN = 'packages/domain/src';
const APPLICATION = 'packages/application/src';

export const SURVIVORS: readonly Survivor[] = [
  ...same({ file: `${DOMAIN}/availability.ts`, line: 'if (format === undefined) {', reason: CACHE }, [
    ['format === undefined', 'true'],
  ]),
  ...same(
    {
      file: `${DOMAIN}/availability.ts`,
      line: 'if (FORMATS.size >= MAX_FORMATS) FORMATS.clear();',
      reason: CACHE,
    },
    [
      ['FORMATS.size >= MAX_FORMATS', 'true'],
      ['FORMATS.size >= MAX_FORMATS', 'false'],
      ['FORMATS.size >= MAX_FORMATS', 'FORMATS.size > MAX_FORMATS'],
      ['FORMATS.size >= MAX_FORMATS', 'FORMATS.size < MAX_FORMATS'],
    ],
  ),
  ...same(
    {
      file: `${DOMAIN}/availability.ts`,
      line: "const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';",
      reason: TYPE_ONLY,
    },
    [["''", '"Stryker was here!"']],
  ),
  ...same(
    {
      file: `${DOMAIN}/availability.ts`,
      line: "return nextLocalTime(within, '00:00', timeZone);",
      reason: 'An empty text has no hours and minutes, which is midnight too.',
    },
    [["'00:00'", '""']],
  ),
  ...same(
    {
      file: `${DOMAIN}/deadlines.ts`,
      line: "from: 'loss',",
      reason: 'Of the two values only the other one is compared; the compiler checks this one.',
    },
    [["'loss'", '""']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/date-time.ts`,
      line: 'if (known !== undefined) return known;',
      reason: CACHE,
    },
    [['known !== undefined', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/date-time.ts`,
      line: 'if (dates.size === MAX_DATES) dates.clear();',
      reason: CACHE,
    },
    [
      ['dates.size === MAX_DATES', 'true'],
      ['dates.size === MAX_DATES', 'false'],
      ['dates.size === MAX_DATES', 'dates.size !== MAX_DATES'],
    ],
  ),
  ...['offer-claim', 'send-claim'].flatMap((name) =>
    same(
      {
        file: `${APPLICATION}/firm/${name}.ts`,
        line: 'if (adjuster !== null) await notifyOffer(tx.outbox, claim, adjuster);',
        reason: TYPE_ONLY,
      },
      [['adjuster !== null', 'true']],
    ),
  ),
  ...same(
    {
      file: `${APPLICATION}/firm/withdraw-invitation.ts`,
      line: 'if (adjuster === null || current === null || !isAdjusterVisible(adjuster, actor.environment)) {',
      reason: REFERENCE,
    },
    [['adjuster === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/app/memberships.ts`,
      line: "if (adjuster === null) throw new DomainError('not_found', 'No such account.');",
      reason: REFERENCE,
    },
    [
      ['adjuster === null', 'false'],
      ["'not_found'", '""'],
      ["'No such account.'", '""'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/app/memberships.ts`,
      line: 'if (plan === null) throw new Error(`a membership belongs to the firm ${firmId}, which does not exist`);',
      reason: REFERENCE,
    },
    [
      ['plan === null', 'false'],
      ['`a membership belongs to the firm ${firmId}, which does not exist`', '``'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: "return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`;",
      reason: TYPE_ONLY,
    },
    [["''", '"Stryker was here!"']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: 'let [from, to] = [purged.seq + 1, last.seq];',
      reason: 'A check that starts at or before the first row that is kept starts at that row.',
    },
    [['purged.seq + 1', 'purged.seq - 1']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: 'if (since !== undefined) {',
      reason: 'Saves a read: a search without a limit finds the row at that end of the chain.',
    },
    [['since !== undefined', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: 'if (until !== undefined) {',
      reason: 'Saves a read: a search without a limit finds the row at that end of the chain.',
    },
    [['until !== undefined', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: 'if (from > purged.seq + 1) {',
      reason: 'Saves a read: no row is kept before the first one, so the check starts there too.',
    },
    [
      ['from > purged.seq + 1', 'true'],
      ['from > purged.seq + 1', 'from >= purged.seq + 1'],
      ['purged.seq + 1', 'purged.seq - 1'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: 'return auditEntriesFrom(text)[0]?.at === at;',
      reason: 'A row without an event has another time; the error would be caught with the same result.',
    },
    [['auditEntriesFrom(text)[0]?.at', 'auditEntriesFrom(text)[0].at']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/audit-chain.ts`,
      line: '} catch {',
      reason: 'The caller treats undefined like false.',
    },
    [['{ return false; }', '{}']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/session-authenticator.ts`,
      line: 'if (tokenHash === null || session === null) return null;',
      reason: TYPE_ONLY,
    },
    [['tokenHash === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/execute-idempotently.ts`,
      line: "error instanceof DomainError && error.code !== 'not_found';",
      reason: 'Saves a read: no earlier run of the same request makes it fail with this code.',
    },
    [
      ["error.code !== 'not_found'", 'true'],
      ["'not_found'", '""'],
    ],
  ),
];
