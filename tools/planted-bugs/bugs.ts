// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits quote code
/** A mistake that somebody could make and `test:mutation` does not. The tests must find it; `from` occurs once in the file. */
const bug = (name: string, file: string, from: string, to: string) => ({ name, file, from, to });

const IDEMPOTENCY = 'packages/application/src/firm/execute-idempotently.ts';
const SEND = 'packages/application/src/firm/send-claim.ts';
const OFFER = 'packages/application/src/firm/offer-claim.ts';
const SESSIONS = 'packages/application/src/auth/session-authenticator.ts';
const LEAVE = 'packages/application/src/app/memberships.ts';
const JOBS = 'packages/application/src/jobs/run-job.ts';
const MEMBERSHIP = 'packages/domain/src/membership.ts';
const PG_CLAIMS = 'packages/adapter-postgres/src/stores/pg-claims.ts';
const CLAIMS_BY_ID = 'packages/adapter-postgres/src/reads/claims-by-id.ts';
const PG_WRITES = 'packages/adapter-postgres/src/claims/claim-writes.ts';
const PG_STATEMENTS = 'packages/adapter-postgres/src/claims/single-server-statements.ts';
const PG_GROUPS = 'packages/adapter-postgres/src/claims/groups.ts';
const PG_FEED = 'packages/adapter-postgres/src/claims/feed-timestamps.ts';
const PG_CARRIERS = 'packages/adapter-postgres/src/stores/pg-carriers.ts';
const TRANSACTION = 'packages/adapter-postgres/src/driver/transaction.ts';
const PG_MEMBERSHIPS = 'packages/adapter-postgres/src/stores/pg-memberships.ts';
const AFTER_LAST = ", (feed.last_stamp AT TIME ZONE 'UTC' + interval '1 ms') AT TIME ZONE 'UTC')";
const UNKNOWN_COMMIT =
  "this.#failure = unconfirmed('The connection to PostgreSQL was lost during a commit.');";

export const PLANTED_BUGS = [
  bug(
    'credentials shown without consent',
    'packages/adapter-postgres/src/reads/pg-board-reads.ts',
    "m.status = 'active' AND m.shares_credentials AND",
    "m.status = 'active' AND",
  ),
  bug(
    'what was shared stays shared after leaving',
    MEMBERSHIP,
    'PLAN_RETENTION[plan].readableAfterLeavingMs,\n  sharing: SHARES_NOTHING,',
    'PLAN_RETENTION[plan].readableAfterLeavingMs,',
  ),
  bug(
    'credentials of another device overwritten',
    'packages/application/src/app/credentials.ts',
    'if (!isBase(current))',
    'if (false)',
  ),
  bug(
    'reminder of credentials sent by each of two processes',
    'packages/application/src/jobs/credential-reminders.ts',
    'if (stored?.remindAt !== at) return;',
    'if (stored === undefined) return;',
  ),
  bug('idempotency keys not bound', PG_STATEMENTS, 'if (bound.length > 0) bindMany(executor, bound);', ''),
  bug(
    'idempotency key not bound to the environment',
    IDEMPOTENCY,
    '{ firmId, environment, key: idempotencyKey }',
    "{ firmId, environment: 'live', key: idempotencyKey }",
  ),
  bug('fingerprint not compared', IDEMPOTENCY, 'bound.fingerprint !== fingerprint', 'false'),
  bug(
    'retry fails on its own result',
    PG_WRITES,
    '[pendingOffers, facts] = await',
    '[pendingOffers] = await',
  ),
  bug(
    'offer sent without notification',
    OFFER,
    'jobs: [...withdrawn, ...jobsOfOffer(offered, addressee)]',
    'jobs: withdrawn',
  ),
  bug('claim sent without notification', SEND, 'jobs: jobsOfOffer(claim, addressee)', 'jobs: []'),
  bug(
    'duplicates not checked',
    SEND,
    'if (known.duplicate !== null) throw duplicateClaim(known.duplicate);',
    '',
  ),
  bug(
    'response that the feed does not show',
    PG_STATEMENTS,
    "updated_at = next.first_stamp + changed.ordinal * interval '1 ms'",
    'updated_at = c.updated_at',
  ),
  bug(
    'response that a group leaves out is not found',
    PG_WRITES,
    "(whenLocked === 'wait' ? null : undefined)",
    'null',
  ),
  bug(
    'changes that share a transaction without an audit row',
    PG_FEED,
    'SELECT firm_id, audit_seq, at, entry, audit_hash FROM next)',
    'SELECT firm_id, audit_seq, at, entry, audit_hash FROM next WHERE false)',
  ),
  bug(
    'responses that share a transaction share a timestamp',
    PG_STATEMENTS,
    'next.first_stamp + changed.ordinal',
    'next.first_stamp + 0',
  ),
  bug(
    'feed not moved past changes that share a transaction',
    PG_FEED,
    "+ (row.claims - 1) * interval '1 ms',",
    "+ 0 * interval '1 ms',",
  ),
  bug(
    'shared responses not locked',
    PG_STATEMENTS,
    "id: 'response.id' }, { lock: `FOR UPDATE ${locking}` }",
    "id: 'response.id' }, { lock: locking === '' ? 'FOR UPDATE' : '' }",
  ),
  bug(
    'shared offers not locked',
    PG_STATEMENTS,
    "id: 'offered.id' }, { lock: `FOR UPDATE ${locking}` }",
    "id: 'offered.id' }, { lock: locking === '' ? 'FOR UPDATE' : '' }",
  ),
  bug(
    'second response to a claim in one transaction',
    PG_GROUPS,
    ' || one.keys.some((key) => keysInUse.has(key))',
    '',
  ),
  bug('second offer of a claim in one transaction', PG_WRITES, '[keyOf(slot), claimId]', '[keyOf(slot)]'),
  bug(
    'offer that a group leaves out after its key is bound',
    PG_WRITES,
    "on.save(decided, 'wait')",
    "on.save(decided, 'skip')",
  ),
  bug(
    'claims that share a transaction share a timestamp',
    PG_STATEMENTS,
    'RETURNING id, updated_at`',
    "RETURNING id, updated_at`.replaceAll('+ sent.ordinal *', '+ 0 *')",
  ),
  bug('membership of new claims not locked', PG_STATEMENTS, '{ lock: `FOR SHARE ${locking}` }', '{}'),
  bug(
    'claims that share a transaction without jobs',
    PG_STATEMENTS,
    'if (jobs.length > 0) addMany(executor, jobs);',
    '',
  ),
  bug(
    'response reaches a claim of another adjuster',
    PG_STATEMENTS,
    '${CLAIM_FORMS} WHERE c.adjuster_svc_id = response.svc_id`',
    '${CLAIM_FORMS} WHERE true`',
  ),
  bug(
    "carrier details merged into another firm's book",
    PG_CARRIERS,
    'nameKey = carrierNameKey(carrier.name);\n    const key = ',
    'nameKey = carrierNameKey(carrier.name);\n    const key = nameKey || ',
  ),
  bug(
    "claims that share a transaction encrypted with one firm's key",
    PG_STATEMENTS,
    'const encrypt = await encryption.encryptor(PERSONAL.claims, firmId, id);\n          return [',
    'const encrypt = await encryption.encryptor(PERSONAL.claims, claims[0]?.firmId ?? firmId, id);\n          return [',
  ),
  bug(
    "responses that share a transaction encrypted with one firm's key",
    PG_STATEMENTS,
    'assignmentValues(assignment, await encryption.encryptor(PERSONAL.claims, firmId, id))',
    'assignmentValues(assignment, await encryption.encryptor(PERSONAL.claims, firms[0] ?? firmId, id))',
  ),
  bug(
    'events of a firm that share a transaction in several audit rows',
    'packages/adapter-postgres/src/stores/audit-rows.ts',
    'auditRowsOf(events, Number.POSITIVE_INFINITY)',
    'auditRowsOf(events, 100)',
  ),
  bug(
    'keys of a shared transaction released before its requests are saved alone',
    PG_GROUPS,
    '      const result = async () =>',
    '      for (const key of keys) keysInUse.delete(key);\n      const result = async () =>',
  ),
  bug(
    'saved again after an unconfirmed commit',
    TRANSACTION,
    "unconfirmed('A commit was not confirmed by every server.')",
    "new Unavailable('A commit was not confirmed by every server.', 'database_busy')",
  ),
  bug(
    'COMMIT sent before the row counts of writes are known',
    TRANSACTION,
    'this.#failed || this.#checks',
    'this.#failed',
  ),
  bug('saved again after an unknown commit', PG_GROUPS, "error.reason === 'database_busy'", 'true'),
  bug('ended session cached', SESSIONS, 'if (isUsed) sessionAuthenticator.invalidate();', ''),
  bug('session ended elsewhere stays cached', SESSIONS, 'age >= GRANT_MAX_AGE_MS', 'false'),
  bug(
    'offers of a leaver stay pending',
    LEAVE,
    '  await unassignPendingOffers(tx, firmId, svcId);\n  return left;',
    '  return left;',
  ),
  bug(
    'offers stay pending when the permission is removed',
    'packages/application/src/operator/adjusters.ts',
    'if (!canAcceptClaims) await unassignPendingOffers(tx, firmId, svcId);',
    '',
  ),
  bug(
    'job answers a later offer',
    JOBS,
    'acceptClaim({ svcId }, claimId, { offeredAt })',
    'acceptClaim({ svcId }, claimId)',
  ),
  bug(
    'notes of an earlier invitation kept',
    MEMBERSHIP,
    '    notes,\n    canAccept',
    '    notes: current?.notes ?? notes,\n    canAccept',
  ),
  bug('feed stamped by the clock alone', PG_FEED, AFTER_LAST, ')'),
  bug(
    'claim not locked',
    PG_CLAIMS,
    "{ columns: CLAIM_COLUMNS, lock: 'FOR UPDATE' }",
    '{ columns: CLAIM_COLUMNS }',
  ),
  bug(
    'offers of a leaver not locked',
    PG_CLAIMS,
    'ORDER BY c.offered_at, c.id FOR UPDATE',
    'ORDER BY c.offered_at, c.id',
  ),
  bug(
    'exclusive lock on the membership dropped',
    PG_MEMBERSHIPS,
    "findMembership('FOR UPDATE')",
    "findMembership('')",
  ),
  bug(
    'feed timestamp not read under the feed lock',
    PG_FEED,
    AFTER_LAST,
    ", (SELECT max(updated_at) + interval '1 ms' FROM claims WHERE firm_id = feed.firm_id))",
  ),
  bug(
    'claim numbers compared across environments',
    PG_STATEMENTS,
    'FROM claims WHERE firm_id = ${firm} AND environment = ${environment}',
    'FROM claims WHERE firm_id = ${firm} AND ${environment}::text IS NOT NULL',
  ),
  bug(
    'firm filter missing',
    CLAIMS_BY_ID,
    "'c.firm_id': '$1'",
    "'c.firm_id': '(CASE WHEN $1::uuid IS NOT NULL THEN c.firm_id END)'",
  ),
  bug(
    'firm filter missing for claims read at once',
    CLAIMS_BY_ID,
    "firm_id: 'wanted.firm_id'",
    "firm_id: 'firm_id'",
  ),
  bug(
    'cursor not bound to filters',
    'apps/api/src/http/serialization/cursor.ts',
    'scope.reader, scope.filters, payload',
    'scope.reader, payload',
  ),
  bug(
    'revoked key cached',
    'packages/application/src/auth/api-key-authenticator.ts',
    'if (current !== version) clearGrants();',
    '',
  ),
  bug(
    'failed batch not repeated',
    'packages/application/src/write-buffer.ts',
    'await store.append(batch);\n        batches = batches.slice(1);',
    'batches = batches.slice(1);\n        await store.append(batch);',
  ),
  bug(
    'audit events of several firms in one row',
    'packages/adapter-postgres/src/stores/audit-rows.ts',
    'row?.chain === chain && ids',
    'row !== undefined && ids',
  ),
  bug(
    'logged requests of several firms in one row',
    'packages/adapter-postgres/src/stores/pg-request-log.ts',
    '[request.firmId, request.environment,',
    '[request.environment,',
  ),
  bug(
    'logged requests of both environments in one row',
    'packages/adapter-postgres/src/stores/pg-request-log.ts',
    '[request.firmId, request.environment,',
    '[request.firmId,',
  ),
  bug(
    'firm filter missing in the request log',
    'packages/adapter-postgres/src/stores/pg-request-log.ts',
    'WHERE firm_id = $1 AND (at, request_id)',
    'WHERE $1::uuid IS NOT NULL AND (at, request_id)',
  ),
  bug(
    'write retried after an unknown commit',
    TRANSACTION,
    UNKNOWN_COMMIT,
    "this.#failure = new ConcurrencyConflict('commit');",
  ),
  bug(
    'backoff same after each attempt',
    'packages/application/src/webhooks/attempt.ts',
    'backoffMs(delivery.attemptCount + 1, random)',
    'backoffMs(1, random)',
  ),
  bug(
    'pause mail on each pause',
    'packages/application/src/webhooks/attempt.ts',
    'const isMailed = at >= (pauseMailedAt ?? 0) + PAUSE_MAIL_INTERVAL_MS',
    'const isMailed = true',
  ),
  bug(
    'gone recorded as failing',
    'packages/application/src/webhooks/deliver.ts',
    "next.outcome === 'gone' ? 'gone' : 'failing'",
    "'failing'",
  ),
  bug(
    'two changes: state undoes the roll',
    'packages/application/src/webhooks/endpoints.ts',
    'const current = rolled?.webhook ?? endpoint;',
    'const current = endpoint;',
  ),
  bug(
    'roll twice exactly at its end',
    'packages/application/src/webhooks/endpoints.ts',
    'overlapMs > 0 && now < until',
    'overlapMs > 0 && now <= until',
  ),
  bug(
    'names of the first page alone',
    'packages/application/src/desk/imports.ts',
    'while (after !== null);',
    'while (false);',
  ),
  bug(
    'different not counted as failed',
    'packages/application/src/desk/imports.ts',
    "count('failed', 'different')",
    "count('failed')",
  ),
  bug(
    'noon taken for midnight',
    'packages/csv-import/src/dates.ts',
    '12:00(?::00)? ?AM',
    '12:00(?::00)? ?[AP]M',
  ),
  bug(
    'only first secret verified',
    'packages/client/src/webhooks.ts',
    "typeof secret === 'string' ? [secret] : secret)",
    "typeof secret === 'string' ? [secret] : secret.slice(0, 1))",
  ),
  bug(
    'base of the later edit wins',
    'apps/adjuster/src/outbox/work.ts',
    '{ ...next.base, ...entry.base }',
    '{ ...entry.base, ...next.base }',
  ),
  bug(
    'earlier attempts but last forgotten',
    'apps/adjuster/src/outbox/work.ts',
    '...(entry.earlier ?? []), ...',
    '...',
  ),
  bug(
    'clock not bounded from above',
    'packages/adapter-postgres/src/driver/database-clock.ts',
    'Math.min(Math.max(start, earliest), latest)',
    'Math.max(start, earliest)',
  ),
];
