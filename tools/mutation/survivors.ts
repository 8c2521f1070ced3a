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
const FOUND_BEFORE = 'Unreachable: the account was found before, in the same transaction.';

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
      line: '} catch {',
      reason: 'The caller treats undefined like false.',
    },
    [['{ return false; }', '{}']],
  ),
  ...same(
    {
      file: `${APPLICATION}/app/profile.ts`,
      line: 'if (current === null || change === null || at >= change.expiresAt || change.triesLeft === 0)',
      reason: 'Unreachable: a change of the address refers to an account that exists.',
    },
    [['current === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/app/profile.ts`,
      line: "if (error instanceof DomainError && error.code === 'email_taken') return null;",
      reason: 'The work throws no other DomainError, and no other error has this code.',
    },
    [
      [
        "error instanceof DomainError && error.code === 'email_taken'",
        "error instanceof DomainError || error.code === 'email_taken'",
      ],
      ["error.code === 'email_taken'", 'true'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/api-key-authenticator.ts`,
      line: 'if (age >= CONFIRM_AFTER_MS) confirm().catch(() => {}); // reported when the grants are too old',
      reason: CACHE,
    },
    [['age >= CONFIRM_AFTER_MS', 'age > CONFIRM_AFTER_MS']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/api-key-authenticator.ts`,
      line: 'const startedAt = await confirming.catch(() => Number.NaN);',
      reason: 'Both give an age that is not a number.',
    },
    [['() => Number.NaN', '() => undefined']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/api-key-authenticator.ts`,
      line: 'if (grant === null) return null;',
      reason: CACHE,
    },
    [['grant === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/api-key-authenticator.ts`,
      line: 'if (targetGrants.size >= MAX_GRANTS) targetGrants.clear();',
      reason: CACHE,
    },
    [
      ['targetGrants.size >= MAX_GRANTS', 'true'],
      ['targetGrants.size >= MAX_GRANTS', 'false'],
      ['targetGrants.size >= MAX_GRANTS', 'targetGrants.size > MAX_GRANTS'],
      ['targetGrants.size >= MAX_GRANTS', 'targetGrants.size < MAX_GRANTS'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/api-key-authenticator.ts`,
      line: 'if (targetLookups.get(hash) === lookup) targetLookups.delete(hash);',
      reason: CACHE,
    },
    [['targetLookups.get(hash) === lookup', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/passkeys.ts`,
      line: "const [id = '', end = '', signature = ''] = text.split('.');",
      reason: 'No signature matches a challenge without one of its parts.',
    },
    [["''", '"Stryker was here!"']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/passkeys.ts`,
      line: 'if (challenge !== null) answered.push(challenge);',
      reason: 'The verifier returns null then, which is checked as well.',
    },
    [['challenge !== null', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/passkeys.ts`,
      line: 'return challenge !== null;',
      reason: 'No challenge was answered then, which is checked as well.',
    },
    [['challenge !== null', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/passkeys.ts`,
      line: 'return verified === null || challenge === undefined ? null : { challenge, verified };',
      reason: 'Unreachable: a verifier that accepts a response has read its challenge.',
    },
    [['challenge === undefined', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/account-notices.ts`,
      line: 'if (email === null || emailConfirmed !== true) return null;',
      reason: 'Unreachable: only an address is confirmed.',
    },
    [['email === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/sign-in.ts`,
      line: 'if (adjuster === null || adjuster.email === null || adjuster.disabledAt !== undefined) return null;',
      reason: 'Unreachable: the account was found by its address.',
    },
    [['adjuster.email === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/sign-in.ts`,
      line: 'if (adjuster === null || adjuster.disabledAt !== undefined) return null;',
      reason: FOUND_BEFORE,
    },
    [['adjuster === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/sign-in.ts`,
      line: 'if (adjuster === null || !isValid) {',
      reason: 'A passkey is valid only if there is one, and it refers to an account that exists.',
    },
    [['adjuster === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/auth/sign-in.ts`,
      line: 'if (adjuster === null || hash === null || held === null || !deps.secrets.equal(hash, held)) {',
      reason:
        'One of them that is null does not equal the other, and an account that does not exist has no hash.',
    },
    [
      [
        'adjuster === null || hash === null || held === null',
        '(adjuster === null || hash === null) && held === null',
      ],
      ['adjuster === null || hash === null', 'false'],
      ['adjuster === null || hash === null', 'adjuster === null && hash === null'],
      ['adjuster === null', 'false'],
      ['hash === null', 'false'],
      ['held === null', 'false'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/jobs/run-job.ts`,
      line: 'const isPostponed = job.only !== undefined && except.includes(job.only);',
      reason: 'No channel is undefined.',
    },
    [['job.only !== undefined', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/jobs/run-job.ts`,
      line: 'if (later.length === 0) return;',
      reason: 'Saves a transaction.',
    },
    [['later.length === 0', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/jobs/run-job.ts`,
      line: 'if (firmName === null || !pending) return;',
      reason: 'Unreachable: an invitation refers to a firm that exists.',
    },
    [['firmName === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/jobs/run-job.ts`,
      line: 'if (device?.reminderAt !== at || device.preferences === null) return;',
      reason: 'Unreachable: a device without preferences has no reminder.',
    },
    [['device.preferences === null', 'false']],
  ),
  ...same(
    {
      file: `${APPLICATION}/ports/metrics.ts`,
      line: 'export const NO_METRICS: Metrics = {',
      reason: 'Does not compile: the type requires each method.',
    },
    [
      [
        '{ requestCompleted() {}, addressLimited() {}, connectionAwaited() {}, transactionCommitted() {}, groupFailed() {}, jobEnded() {}, signInFailed() {}, }',
        '{}',
      ],
    ],
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
  ...same(
    {
      file: `${APPLICATION}/auth/session-authenticator.ts`,
      line: 'if (target.size >= MAX_SESSIONS) target.clear();',
      reason: CACHE,
    },
    [
      ['target.size >= MAX_SESSIONS', 'true'],
      ['target.size >= MAX_SESSIONS', 'false'],
      ['target.size >= MAX_SESSIONS', 'target.size > MAX_SESSIONS'],
      ['target.size >= MAX_SESSIONS', 'target.size < MAX_SESSIONS'],
    ],
  ),
  ...same(
    {
      file: `${APPLICATION}/operator/adjusters.ts`,
      line: 'if (!canAcceptClaims) await withdrawWaitingOffers(tx, firmId, svcId);',
      reason: 'Saves statements: no offer waits for an adjuster without the permission.',
    },
    [['!canAcceptClaims', 'true']],
  ),
  ...same(
    {
      file: `${APPLICATION}/support/new-claims-in-transactions.ts`,
      line: 'const pendingOffers = duplicate === null ? await countPendingOffers(tx, adjuster) : 0;',
      reason: 'Saves a statement: for a duplicate, the number is not used.',
    },
    [['duplicate === null', 'true']],
  ),
  ...same(
    {
      file: 'packages/contract/src/field-suggestion.ts',
      line: "return words.reduce((sum, word, index) => sum + typosIn(word, meant[index] ?? ''), 0);",
      reason: TYPE_ONLY,
    },
    [["''", '"Stryker was here!"']],
  ),
  ...same(
    {
      file: 'packages/contract/src/field-suggestion.ts',
      line: 'if (Math.abs(word.length - meant.length) > allowed) return Number.POSITIVE_INFINITY;',
      reason: 'Saves time: the distance decides the same.',
    },
    [['Math.abs(word.length - meant.length) > allowed', 'false']],
  ),
];
