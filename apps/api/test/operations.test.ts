import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { WhileWaiting } from '@svc/application';
import { endpoints } from '@svc/contract';
import { DomainError, HOUR, NO_OVERRIDES } from '@svc/domain';
import { later } from '@svc/testkit/eventually';
import { accounts } from '../src/composition/accounts.ts';
import { claims } from '../src/composition/claims.ts';
import type { Services } from '../src/composition/container.ts';
import { imports } from '../src/composition/imports.ts';
import { keys } from '../src/composition/keys.ts';
import { members } from '../src/composition/members.ts';
import { operation } from '../src/composition/operation.ts';
import { webhooks } from '../src/composition/webhooks.ts';
import { requestFingerprint } from '../src/http/pipeline/fingerprint.ts';
import type { Route } from '../src/http/routes/route.ts';
import { application, FIRM, NOW, type Results, requestOf } from './application.ts';

const MODULES: readonly { readonly routes: readonly ((use: Services) => readonly Route[])[] }[] = [
  ...[accounts, claims, imports, keys, members, operation, webhooks],
];
const operationsOf = (use: Services) => ({
  routes: MODULES.flatMap(({ routes }) => routes).flatMap((make) => make(use)),
});

const names = new Map<unknown, string>();
/** An object of these properties, each with its own name as its value, or with a time that stands for it. */
const named = (of: string, properties: string, known: object = {}): object => {
  const values = properties.split(' ').map((name): [string, string | number] => {
    const isTime = /(At|at|Until|Since|since|until|Ms)$/.test(name);
    const value = isTime ? Date.UTC(2026, 0, 1) + names.size * 1000 : `${of}.${name}`;
    names.set(value, name);
    return [name, value];
  });
  return { ...Object.fromEntries(values), ...known };
};
const page = (...rows: object[]) => ({ rows, next: { at: 5, id: 'n' } });

const CLAIM = named('claim', 'id createdAt updatedAt closedAt', {
  environment: 'test',
  assignment: named('assignment', 'status adjuster respondedAt rejectionReason', {
    offeredAt: NOW - 2 * HOUR,
  }),
  asSent: '{"external_id":"X","carrier":{"name":"C"},"loss":{"cat_code":"E"}}',
});
const RULES = {
  rules: [
    named('rule', 'contactHours inspectionHours reportDays', { carrier: 'C', catCode: 'E' }),
    named('other rule', 'carrier catCode contactHours'),
  ],
  timeZone: 'ZONE',
};
const OFFERED = {
  ...{ ...CLAIM, offerWaitHours: 1, clocks: RULES, bookCarrier: { name: 'C', phone: 'PHONE' } },
  firm: named('firm', 'id name'),
  work: named('work', 'contactDate inspectionDate notes', {
    details: named('work', 'plannedVisitDate plannedVisitTime preliminaryReportDate proofOfLossDate', {
      contacts: [named('contact', 'id at receivedAt result note'), { id: '2', at: 0, result: 'reached' }],
    }),
  }),
};
const OTHER_CLAIM = { ...CLAIM, id: 'claim.2', updatedAt: NOW };
const OTHER = { ...OFFERED, id: 'claim.2', firm: { id: 'other', name: 'Other' } };
const CONTACT = { firstName: 'Ana', lastName: 'Reyes', email: 'ana@example.com' };
const MEMBER = {
  membership: named('membership', 'svcId firmId invitedAt respondedAt canAcceptClaims acceptingAssignments', {
    ...{ status: 'pending', expiresAt: NOW + 1, notes: named('notes', 'invitedAs invitedBy purpose note') },
    ...named('membership', 'seenAt remindedAt', { sharing: named('sharing', 'credentials') }),
  }),
  adjuster: { ...CONTACT, testOf: FIRM },
};
const MEMBERSHIP = named('membership', 'firmId firmName canAcceptClaims acceptingAssignments');
const AVAILABILITY = named('availability', 'acceptingAssignments maxOpenOffers workZip', {
  away: [named('away', 'firstDay lastDay timeZone')],
});
const ADJUSTER = named('adjuster', 'svcId firstName lastName email', { testOf: null });
const PROFILE = { adjuster: { ...ADJUSTER, availability: AVAILABILITY }, firms: [MEMBERSHIP] };
const CREDENTIALS = {
  fcn: named('fcn', 'number categories expiresOn'),
  licenses: [named('license', 'state kind number expiresOn')],
};
const SHARING = named('sharing', 'clocks credentials workArea');
const PASSKEY = named('passkey', 'id name createdAt lastUsedAt');
const PERSON = named('staff', 'staffId email name invitedAt joinedAt', {
  role: 'auditor',
  lateOffersMailAt: 1,
});
const OWN = {
  member: PERSON,
  ...{ firm: named('firm', 'id name', { plan: 'claims_only' }), firms: [named('firms', 'id name')] },
};
const KEY = named('key', 'id name createdAt expiresAt lastUsedAt', {
  ...{ environment: 'test', purpose: 'claims', madeBy: 'staff.staffId', madeByName: 'OLD', revokedAt: null },
});
const REQUEST = named('request', 'requestId environment route status durationMs', {
  ...{ at: 1000, keyId: 'key.id', code: 'not_found', places: ['/a'] },
});
const WEBHOOK = named('webhook', 'id environment paused previousSecretUntil createdAt', {
  url: 'https://user:password@a.example/b?c',
});
const DELIVERY = named('delivery', 'id type status createdAt nextAttemptAt attemptCount', {
  responseBody: '',
  ...{ changesAfter: 1000, attempts: [named('attempt', 'at status error', { durationMs: 7 })] },
});
const IMPORT = named(
  ...([
    'import',
    'id name fileName environment columns totalRows nextRow sent alreadySent failed createdAt updatedAt',
  ] as const),
);
const clock = (of: string) => ({ step: named(of, 'at deviceAt date'), ...named(of, 'dueAt', { late: of }) });
const CLOCKS = {
  contact: clock('contact'),
  inspection: clock('inspection'),
  ...named('report', 'reportDueAt'),
};
const ROW = named('row', 'externalId claimNumber status adjuster adjusterName offeredAt respondedAt', {
  ...{ ...CLAIM, ...named('row', 'waitingSince late'), clocks: CLOCKS },
  summary: named('summary', 'name carrier street city state zip formType'),
});
const OFFER = named('offer', 'adjuster adjusterName offeredAt offeredBy outcome firstSeenAt remindedAt', {
  ...named('offer', 'respondedAt rejectionReason withdrawnBy endedAt'),
  pushes: [named('push', 'outcome at'), named('other push', 'channel outcome at')],
});
const GROUP = named('group', 'group offers accepted rejected unassigned withdrawn closed pending', {
  ...named('group', 'contactsShared contactsInTime contactsLate', {
    medianAnswerMs: 1500.4,
    p90AnswerMs: 2499.6,
  }),
});
const all = (results: string, value: unknown): Results =>
  Object.fromEntries(results.split(' ').map((name) => [name, value]));
const signInOf = (of: string): Results => ({
  [`${of}.signIn`]: { token: 'TOKEN', expiresAt: NOW, account: 'ACCOUNT' },
  ...all(`${of}.startPasskeySignIn ${of}.startPasskeyRegistration`, 'OPTIONS'),
  ...all(`${of}.registerPasskey ${of}.renamePasskey`, PASSKEY),
});

const no = (code: ConstructorParameters<typeof DomainError>[0]) => new DomainError(code, 'No.');
const REFUSED = {
  ...{ 'SVC-2M8Q-Okafor': no('already_member'), 'SVC-3': no('already_member') },
  ...{ 'SVC-4': no('invitation_pending'), 'SVC-5': no('unknown_svcid') },
};

const RESULTS: Results = {
  ...{ ...signInOf('adjusterSignIn'), ...signInOf('staffSignIn') },
  'accountReads.sessions': ['own', 'session'].map((id) =>
    named(id, 'deviceName createdAt lastUsedAt expiresAt', { id }),
  ),
  ...{ 'accountReads.passkeys': [PASSKEY], 'secrets.issue': { secret: 'ISSUED' } },
  'secrets.hashOf': (text: string) => (text === 'HELD' ? 'HASH' : null),
  ...{ ...all('readProfile updateProfile confirmEmail', PROFILE), setAvailability: AVAILABILITY },
  ...all('readCredentials saveCredentials readSharedCredentials', CREDENTIALS),
  'jobReads.deadlineOverrides': ['first_contact', 'inspection'].map((kind) =>
    named(kind, 'event hours source', { kind }),
  ),
  ...{ 'appReads.adjuster': CONTACT, 'jobReads.firmName': 'NAME', 'appReads.claimIds': ['1', '2'] },
  listInvitations: page(named('invitation', 'firmId firmName invitedAs invitedAt expiresAt')),
  ...{
    ...all('acceptInvitation setAcceptingAssignments', MEMBERSHIP),
    ...all('readSharing setSharing', SHARING),
  },
  declineInvitation: named('membership', 'firmId status respondedAt'),
  ...{ 'appReads.claims': page(OFFERED, OTHER), readClaim: OFFERED },
  ...all(
    'answerOffers.acceptClaim answerOffers.rejectClaim recordWork logContact closeAcceptedClaim',
    OFFERED,
  ),
  issueReceipt: named('receipt', 'receipt claimId', { firmId: FIRM }),
  'jobReads.devices': ['other', 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60'].map((deviceId) => ({
    ...{ deviceId, subscription: { endpoint: `ENDPOINT ${deviceId}` } },
  })),
  ...{
    'firmReads.claim': CLAIM,
    'firmReads.claims': page(CLAIM, OTHER_CLAIM),
    'firmReads.adjusters': page(MEMBER),
  },
  ...{ sendClaim: { claim: CLAIM, replayed: false }, offerClaim: { claim: CLAIM, replayed: true } },
  ...all('inviteAdjuster withdrawInvitation', MEMBER),
  inviteAdjusters: (_: object, asked: ReadonlySet<string>) =>
    new Map(Object.entries(REFUSED).filter(([svcId]) => asked.has(svcId))),
  ...all('sandbox.acceptClaim sandbox.rejectClaim sandbox.closeClaim', CLAIM),
  ...all('sandbox.acceptInvitation sandbox.declineInvitation sandbox.expireInvitation', MEMBER),
  ...all('sandbox.leaveFirm sandbox.setAcceptingAssignments sandbox.setCanAcceptClaims', MEMBER),
  checkReadiness: named('readiness', 'since until', { checks: [] }),
  ...{ 'operatorReads.firm': { plan: 'standard', limits: NO_OVERRIDES }, 'operatorReads.keyPage': page(KEY) },
  ...{ 'operatorReads.workingKeys': [KEY, { madeBy: 'other' }], 'staffReads.ofFirm': [PERSON] },
  ...{
    createKey: { key: KEY, secret: 'SECRET' },
    ...all('renameKey revokeKey', KEY),
    revokeKeysOfMaker: [KEY],
  },
  rollKey: { key: KEY, secret: 'SECRET', replaced: { ...KEY, id: 'replaced' } },
  readLimits: {
    ...{ firm: { limits: NO_OVERRIDES }, keys: [{ key: KEY, ...named('key', 'used limited') }] },
    ...{ days: [named('day', 'at live test')], ...named('limits', 'countedSince') },
  },
  ...{ listRequests: page(REQUEST), readRequest: { ...REQUEST, keyId: 'other', code: 'constructor' } },
  ...{ changeFirm: 'ACCOUNT', readOwnStaff: OWN, ...all('inviteStaff updateStaff', PERSON) },
  ...{ 'webhookReads.endpoints': [WEBHOOK], createWebhook: { webhook: WEBHOOK, secret: 'SECRET' } },
  updateWebhook: { webhook: { ...WEBHOOK, paused: null }, secret: null },
  ...all('manualDeliveries.testWebhook manualDeliveries.replayWebhook', DELIVERY),
  listWebhookDeliveries: page(DELIVERY),
  listAudit: page({
    ...{ id: 'ID', seq: 1, hash: 'HASH', entry: { actor: 'staff:staff.staffId', action: 'ACTION' } },
  }),
  verifyAudit: { intact: true, rows: 0, last: 'LAST', next: { at: 5, id: 'n' } },
  ...{ listImports: page(IMPORT), ...all('readImport startImport', IMPORT) },
  ...{ checkExisting: [], checkAdjusters: new Map() },
  ...{
    listBoard: page(ROW),
    countBoard: async () => 'COUNTS',
    ...all('withdrawOffer closeClaimAtDesk', CLAIM),
  },
  readBoardClaim: {
    ...{ claim: { ...CLAIM, closure: { reason: 'REASON' } }, clocks: CLOCKS, history: [OFFER] },
    ...named('board', 'late waitingSince closedBy'),
  },
  listBoardAdjusters: page({
    ...{ ...MEMBER, ...named('board', 'rejectedAt distance warnings') },
    work: named('work', 'openOffers openClaims medianAnswerMs'),
  }),
  spreadClaims: [named('proposed', 'id adjuster distance warnings')],
  ...all('boardReads.clocks setClocks', RULES),
  reportAnswers: {
    total: GROUP,
    rows: [
      { ...GROUP, label: 'LABEL', partial: true },
      { ...GROUP, label: '=1' },
    ],
  },
};

/** What each request costs, whatever it is about. */
const EVERY =
  /^(apiKeyAuthenticator|sessionAuthenticator|rateLimiter|faults|edgeLimiter)\.|^(isDraining|sessionLimiter)$/;
const CREDENTIAL = { key: 'svc_test_1', session: 'adjuster', staff: 'staff', none: undefined };

const camel = (name: string) => name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
const stable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  ) ?? '-';

function* fieldsOf(value: unknown): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield [name, inner];
    if (typeof inner === 'string' && /^\d{4}-.*Z$/.test(inner)) yield [name, Date.parse(inner)];
    yield* fieldsOf(inner);
  }
}

/** Prints values. A field with the value of its name, or with what was sent by its name, is only named. */
function printerOf(sent: object, labels: Readonly<Record<string, unknown>>) {
  const own = new Set([...fieldsOf(sent)].map(([name, value]) => `${camel(name)} ${stable(value)}`));
  const labelOf = new Map(Object.entries(labels).map(([label, value]) => [stable(value), label]));
  const print = (value: unknown, field = ''): string => {
    if (typeof value === 'function') {
      const result: unknown = value({ ...CREDENTIALS, ...RULES, ...OFFERED.work });
      return result instanceof Promise ? 'fn' : `=> ${print(result)}`;
    }
    if (value instanceof AbortSignal) return 'signal';
    if (value instanceof Map || value instanceof Set) return print([...value]);
    if (own.has(`${camel(field)} ${stable(value)}`)) return '';
    const label = labelOf.get(stable(value));
    if (label !== undefined) return label;
    const time = typeof value === 'string' && /^\d{4}-.*Z$/.test(value) ? Date.parse(value) : value;
    const name = names.get(time) ?? (typeof time === 'number' ? names.get(time * 1000) : undefined);
    if (name !== undefined) return name === camel(field) ? '' : name;
    if (typeof time === 'number' && time > 1e12) return new Date(time).toISOString();
    if (typeof value === 'string')
      return /^[{[]/.test(value) ? print(JSON.parse(value)) : value.replaceAll(FIRM, 'F') || "''";
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return `[${value.map((one) => print(one)).join(', ')}]`;
    const fields = Object.entries(value).filter(([, one]) => one !== undefined);
    return `{${fields.map(([name, one]) => `${name}: ${print(one, name)}`.replace(/: $/, '')).join(', ')}}`;
  };
  return print;
}

/** What a request asks of the services, what is responded, and what the audit trail has of it. */
async function performed(line: string, failing: Results = {}): Promise<string> {
  const [request = '', results = '{}'] = line.split(' where ');
  const [, how = '', id = '', search, json] =
    /^(live |csv |auditor )?(\w+)(?:\?(\S*))?(?: (\{.*\}))?$/.exec(request) ?? [];
  const asked = requestOf(id, search, json === undefined ? undefined : JSON.parse(json));
  const { endpoint, params, query, body } = asked;
  const credential = how === 'live ' ? 'svc_live_1' : CREDENTIAL[endpoint.auth];
  const ask = application<Services>(
    operationsOf,
    { ...RESULTS, ...JSON.parse(results), ...failing },
    how === 'auditor ' ? { staff: { role: 'auditor' } } : {},
  );
  const respond = async (more = ''): Promise<[calls: string, response: string, cursor: string | null]> => {
    const url = [asked.path, [query, more].filter(Boolean).join('&')].filter(Boolean).join('?');
    const { status, json, text, header, ...done } = await ask(endpoint.method, url, {
      headers: {
        ...{
          ...asked.headers,
          'user-agent': 'Firefox/1 Android',
          accept: how === 'csv ' ? 'text/plain, text/csv;q=0.9' : '*/*',
        },
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      },
      body,
    });
    const origin = { requestId: done.trace?.requestId, address: '192.0.2.1' };
    const acting = (environment: string, by: object) => ({
      ...{ firmId: FIRM, environment, origin: { ...origin, ...by } },
    });
    const print = printerOf([params, Object.fromEntries(new URLSearchParams(query)), body, asked.headers], {
      ...{
        ...{ F: FIRM, NOW, now: new Date(NOW).toISOString(), origin, OFFERED, OTHER },
        adjuster: { svcId: 'SVC-1', origin },
      },
      ...{
        staff: { firmId: FIRM, staffId: 'staff-1', origin },
        byStaff: { actor: 'staff:staff-1', ...origin },
      },
      ...{ key: acting('test', { keyId: 'key_1' }), liveKey: acting('live', { keyId: 'key_1' }) },
      ...{
        staffLive: acting('live', { staffId: 'staff-1' }),
        staffTest: acting('test', { staffId: 'staff-1' }),
      },
      FINGERPRINT: requestFingerprint(endpoint, params, body),
      ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`{${name}}`, value])),
    });
    const calls = done.calls.filter(([name]) => !EVERY.test(name));
    const { type: _type, title: _title, request_id: _id, ...content } = json ?? {};
    const audit = done.audited.map(({ chain, action, object, claims, outcome }) =>
      [chain === FIRM ? '' : chain, action, object, claims?.join(), outcome].filter(Boolean).join(' '),
    );
    const actor = { key: 'key:key_1', session: 'adjuster:SVC-1', staff: 'staff:staff-1', none: '' }[
      endpoint.auth
    ];
    for (const event of done.audited) expect(event).toMatchObject({ at: NOW, actor, ...origin });
    const cursor: unknown = json?.next_cursor;
    return [
      calls.map(([name, ...of]) => `${name}(${of.map((one) => print(one)).join(', ')})`).join(' '),
      [
        ...[status, text === '' ? '' : json === null ? text.replaceAll('\r\n', ' / ') : print(content)],
        ...[
          ...[header('Set-Cookie'), header('Idempotent-Replayed') && 'replayed'],
          done.trace?.claimId && `#${print(done.trace.claimId)}`,
        ],
        ...(done.trace?.behavior?.page ? [print(done.trace.behavior.page)] : []),
        ...(audit.length > 0 ? ['|', ...audit] : []),
      ]
        .filter(Boolean)
        .join(' '),
      typeof cursor === 'string' ? cursor : null,
    ];
  };
  const [calls, response, cursor] = await respond();
  const first = `${line} => ${calls} => ${response}`;
  if (cursor === null) return first;
  const [nextCalls, next] = await respond(`cursor=${encodeURIComponent(cursor)}`);
  const isAlike = nextCalls.replace('after: {at: 5, id: n}', 'after: null') === calls && next === response;
  return `${first} => ${isAlike ? 'and the next page' : `then ${nextCalls} => ${next}`}`;
}

/** What the operations do, one a line; `$NAME` stands for a document of several. */
const lines = readFileSync(new URL('operations.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean);
const [documents, expected] = [
  lines.filter((one) => one.startsWith('$')),
  lines.filter((one) => !one.startsWith('$')),
];
const documentOf = new Map(documents.map((one) => one.split(' = ', 2) as [string, string]));
const complete = (text: string): string =>
  text.replace(/\$[A-Z_]+/g, (name) => complete(documentOf.get(name) ?? 'no such document'));

test.each(expected.map((line) => [line.split(' => ', 1)[0] ?? '', line]))(
  'asks services, responds and records reads as expected: %s',
  async (request, line) => expect(await performed(request)).toBe(complete(line)),
);

test('each operation is among those that are expected', () => {
  const missing = Object.keys(endpoints).filter((id) => !expected.some((line) => line.startsWith(`${id} `)));
  expect(missing).toEqual([]);
});

test('an error of each service that an operation asks is that of its request', async () => {
  const isSync = /^(secrets\.|recordSightings|reportAppError)/;
  for (const id of Object.keys(endpoints)) {
    const [, calls = ''] = /^\w+ => (.*?) => 20\d\b/.exec(await performed(id)) ?? [];
    for (const [, name = ''] of calls.matchAll(/(?<![\w.])([a-z]\w*(?:\.\w+)?)\(/g)) {
      const error = new DomainError('not_found', 'No.');
      const fail = () => {
        if (isSync.test(name)) throw error;
        return Promise.reject(error);
      };
      expect([id, name, await performed(id, { [name]: fail })]).toEqual([
        id,
        name,
        expect.stringContaining(' => 404 {'),
      ]);
    }
  }
});

const LONG_WORK = [
  'page listClaims limit=51 firmReads.claims',
  'page listOfferedClaims limit=51 appReads.claims',
  'search listBoardClaims q=reyes listBoard',
  'search listBoardAdjusters limit=9 listBoardAdjusters',
  'search spreadClaims environment=live spreadClaims',
  'report reportAnswers by=week reportAnswers',
].map((work) => work.split(' '));
test('long work is done for one request at a time, waits for no other kind, and learns that its client left', async () => {
  let [running, most] = [0, 0];
  const signals: AbortSignal[] = [];
  const working = LONG_WORK.map(([, , , name = '']) => {
    const work = async (...sent: readonly unknown[]) => {
      const last = sent.at(-1);
      if (last instanceof AbortSignal) signals.push(last);
      if (typeof last === 'function') await last();
      running += 1;
      most = Math.max(most, running);
      for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
      running -= 1;
      return RESULTS[name];
    };
    return [name, work];
  });
  const ask = application<Services>(operationsOf, { ...RESULTS, ...Object.fromEntries(working) });
  for (const both of LONG_WORK.flatMap((one) => LONG_WORK.map((other) => [one, other]))) {
    most = 0;
    const ends = both.map(([, id = '', search]) => {
      const { endpoint, path, headers, body } = requestOf(id);
      const authorization = `Bearer ${CREDENTIAL[endpoint.auth]}`;
      return ask(endpoint.method, `${path}?${search}`, { headers: { ...headers, authorization }, body });
    });
    const statuses = (await Promise.all(ends)).map(({ status }) => status);
    expect([both, most, ...statuses]).toEqual([both, new Set(both.map(([kind]) => kind)).size, 200, 200]);
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual(Array(12).fill(true));
});

test('a firm verifies its trail once at a time, and who waits for its webhooks keeps no other from writing', async () => {
  const { promise, resolve } = later();
  const ask = application<Services>(operationsOf, {
    ...RESULTS,
    verifyAudit: () => promise.then(() => RESULTS.verifyAudit),
    'manualDeliveries.testWebhook': (_: object, __: object, ___: object, whileWaiting: WhileWaiting) =>
      whileWaiting(promise).then(() => DELIVERY),
    'sessionAuthenticator.authenticateStaff': async (token: string) => ({
      ...{ sessionId: token, tokenHash: token, mayOnlyAddPasskey: false },
      staff: { firmId: token === '3' ? 'other' : FIRM, staffId: token, role: 'admin', plan: 'standard' },
    }),
  });
  const twice = (path: string) =>
    [1, 2].map((n) => ask('GET', path, { headers: { authorization: `Bearer ${n}` } }));
  const both = twice('/firm/v1/audit/verification');
  const refused = await Promise.race(both);
  expect([refused.status, refused.header('Retry-After'), refused.json.detail]).toEqual([
    ...[429, '1', expect.stringContaining('Another verification of your firm is running.')],
  ]);
  const other = ask('GET', '/firm/v1/audit/verification', { headers: { authorization: 'Bearer 3' } });
  const test = requestOf('testWebhook');
  // As many as there are permits, which others have in that time.
  const tests = ['1', '2'].map((n) => ask('POST', test.path, { headers: { authorization: `Bearer ${n}` } }));
  const signOut = requestOf('signOutStaff').path;
  expect((await ask('DELETE', signOut, { headers: { authorization: 'Bearer 1' } })).status).toBe(204);
  resolve();
  const ends = await Promise.all([...both, other, ...tests]);
  expect(ends.map(({ status }) => status).join()).toBe('200,429,200,200,200');
});
